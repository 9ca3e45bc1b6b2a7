"""Scores as one page with pictures, light or dark as its reader prefers, without scripts or other files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from string import Template

from antelog.escaping import in_html
from antelog.forecast.reports import words
from antelog.forecast.reports.figures import Figure, figures_of
from antelog.forecast.reports.words import NONE, percent, percents
from antelog.forecast.scores.calibration import Bin
from antelog.forecast.scores.losses import Loss
from antelog.forecast.scores.scores import ScoreResult, Scores, result
from antelog.forecast.scores.thresholds import THRESHOLDS, Alerted

_PAGED = THRESHOLDS.index(0.8)
"""The threshold that the page begins with."""


def page_html(by_query: Mapping[str, Scores], tick: int | None = None, title: str = "Forecast scores") -> str:
    """The scores of each query. `tick`: how long one is, in microseconds, if that is known."""
    page = Template(files("antelog.forecast.reports").joinpath("page.html").read_text(encoding="utf-8"))
    sections = [
        _section(f"query-{number}", query, result(each), tick)
        for number, (query, each) in enumerate(by_query.items())
    ]
    links = [f'<a href="#query-{number}">{_text(query)}</a>' for number, query in enumerate(by_query)]
    return page.substitute(
        title=_text(title),
        links=f"<nav>{''.join(links)}</nav>" if len(links) > 1 else "",
        sections="\n".join(sections or ["<p>No query has chances.</p>"]),
    )


def _section(name: str, query: str, found: ScoreResult, tick: int | None) -> str:
    parts = [f'<section id="{name}">', f"<h2>{_text(query)}</h2>"]
    if found.counted.lines:
        parts += _scored(found, tick)
    else:
        parts.append('<p class="counted">No answer that was told with a chance is settled yet.</p>')
    return "\n".join([*parts, "</section>"])


def _scored(found: ScoreResult, tick: int | None) -> Iterator[str]:
    yield f'<p class="counted">{_text(words.counted(found.counted))}</p>'
    finding, verdict = words.finding(found.calibration), words.verdict(found.calibration)
    yield f'<p class="verdict {finding}">{_text(verdict)}</p>'
    yield f'<dl class="tiles">{"".join(_tiles(found, tick))}</dl>'
    yield '<div class="figures">'
    yield from (_figure(each) for each in figures_of(found, tick))
    yield "</div>"
    yield _details("Calibration in numbers", _bins(found.calibration.bins))
    yield _details("Alerts in numbers", _thresholds(found.alerts, tick))


def _tiles(found: ScoreResult, tick: int | None) -> Iterator[str]:
    alert = found.alerts[_PAGED]
    share = percent(alert.threshold)
    yield _tile("Brier score", words.loss(found.brier.mean), _compared(found.brier))
    yield _tile("Log loss", words.loss(found.log_loss.mean), _compared(found.log_loss))
    yield _tile(
        f"Alerts from {share} that were right",
        percent(alert.precision),
        f"of {words.count(alert.alerts, 'alert')}; they told {percent(alert.found)} of all confirmed"
        if alert.alerts
        else "no chance was that high",
    )
    yield _tile(
        f"Lead time of alerts from {share}",
        NONE if alert.lead is None else words.lead(alert.lead[1], tick),
        "no alert came true"
        if alert.lead is None
        else f"median; quartiles {_quartiles(alert.lead[0], alert.lead[2], tick)}",
    )


def _quartiles(first: int, third: int, tick: int | None) -> str:
    return f"{words.lead(first, tick)} and {words.lead(third, tick)}"


def _compared(found: Loss) -> str:
    return f"{words.compared(found)} ({words.loss(found.base)})"


def _tile(name: str, number: str, more: str) -> str:
    return (
        f'<div class="tile"><dt>{_text(name)}</dt><dd class="number">{_text(number)}</dd>'
        f'<dd class="more">{_text(more)}</dd></div>'
    )


def _figure(found: Figure) -> str:
    title, caption = _text(found.title), _text(found.caption)
    return f"<figure><h3>{title}</h3>{found.picture}<figcaption>{caption}</figcaption></figure>"


def _details(title: str, table: str) -> str:
    return f'<details><summary>{_text(title)}</summary><div class="scroll">{table}</div></details>'


def _bins(bins: Sequence[Bin]) -> str:
    head = ("told with", "lines", "mean chance", "confirmed", "expected", "")
    return _table(head, [(_row(each), each.outside) for each in bins])


def _row(found: Bin) -> Sequence[str]:
    told, confirmed = percents(found.low, found.high), percent(found.confirmed)
    expected = percents(*found.expected)
    return told, words.count(found.lines), percent(found.chance), confirmed, expected, words.mark(found)


def _thresholds(found: Sequence[Alerted], tick: int | None) -> str:
    return _table(words.ALERTS, [(words.alert_row(each, tick), False) for each in found])


def _table(head: Sequence[str], rows: Sequence[tuple[Sequence[str], bool]]) -> str:
    lines = [_line("td", cells, " class=outside" if outside else "") for cells, outside in rows]
    return f"<table>{_line('th', head)}{''.join(lines)}</table>"


def _line(kind: str, cells: Sequence[str], more: str = "") -> str:
    return f"<tr{more}>{''.join(f'<{kind}>{_text(cell)}</{kind}>' for cell in cells)}</tr>"


def _text(words: str) -> str:
    """Words for the page, in which a number and its sign stay on one line."""
    return in_html(words).replace(" %", "\xa0%")
