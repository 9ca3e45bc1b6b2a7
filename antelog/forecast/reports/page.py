"""Scores as one page with pictures, light or dark as its reader prefers, without scripts or other files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from string import Template

from antelog import theme
from antelog.forecast.reports import words
from antelog.forecast.reports.figures import Figure, figures_of
from antelog.forecast.reports.words import NONE, percent
from antelog.forecast.scores.calibration import Bin
from antelog.forecast.scores.scored_lines import Loss
from antelog.forecast.scores.scores import ScoreResult, Scores, result
from antelog.forecast.scores.thresholds import THRESHOLDS, Alerted
from antelog.markup import Child, Html, tag, text

_PAGED = THRESHOLDS.index(0.8)
"""The threshold of the tiles for a program that has none."""


def page_html(by_query: Mapping[str, Scores], tick: int | None = None, title: str = "Forecast scores") -> str:
    """The scores of each query. `tick`: how long one is, in microseconds, if that is known."""
    page = Template(files("antelog.forecast.reports").joinpath("page.html").read_text(encoding="utf-8"))
    sections = [
        _section(f"query-{number}", query, result(each), tick)
        for number, (query, each) in enumerate(by_query.items())
    ]
    links = [tag("a", query, href=f"#query-{number}") for number, query in enumerate(by_query)]
    return page.substitute(
        theme=theme.style_sheet(),
        title=_together(text(title)),
        links=tag("nav", links) if len(links) > 1 else "",
        sections=_together(text(sections or tag("p", "No query has chances."))),
    )


def _together(markup: Html) -> str:
    """Markup in which a number and its sign stay on one line."""
    return markup.replace(" %", "\xa0%")


def _section(name: str, query: str, found: ScoreResult, tick: int | None) -> Html:
    nothing = tag("p", "No answer with a chance is decided yet.", class_="counted")
    scored = _scored(found, tick) if found.counted.lines else nothing
    return tag("section", tag("h2", query), scored, id=name)


def _scored(found: ScoreResult, tick: int | None) -> Iterator[Child]:
    yield tag("p", words.counted(found.counted), class_="counted")
    yield tag("p", words.verdict(found), class_=f"verdict {words.finding(found)}")
    yield tag("dl", _tiles(found, tick), class_="tiles")
    yield tag("div", map(_figure, figures_of(found, tick)), class_="figures")
    yield _details("Calibration in numbers", _bins(found.calibration.bins))
    alerts = _table(words.ALERTS, [(words.alert_row(each, tick), False) for each in found.alerts])
    yield _details("Alerts in numbers", alerts)


def _tiles(found: ScoreResult, tick: int | None) -> Iterator[Html]:
    alert = found.program_alert or found.alerts[_PAGED]
    alerts, scores = _alert_tiles(alert, tick), _score_tiles(found)
    yield from (*scores, *alerts) if found.program_alert is None else (*alerts, *scores)


def _score_tiles(found: ScoreResult) -> Iterator[Html]:
    yield _tile("Brier score", words.loss(found.brier.mean), _compared(found.brier))
    yield _tile("Log loss", words.loss(found.log_loss.mean), _compared(found.log_loss))
    error = found.calibration.error
    if error is not None:
        yield _tile("Expected calibration error", words.points(error.mean), words.error_interval(error))


def _alert_tiles(alert: Alerted, tick: int | None) -> Iterator[Html]:
    share = percent(alert.threshold)
    yield _tile(
        f"Alerts from {share} that were right",
        percent(alert.precision),
        f"of {words.count(alert.alerts, 'alert')}; they announced {percent(alert.found)} of all confirmed"
        if alert.alerts
        else "no chance was that high",
    )
    number, more = NONE, "no alert came true"
    if alert.lead is not None:
        first, number, third = (words.lead(each, tick) for each in alert.lead)
        more = f"median; quartiles {first} and {third}"
    yield _tile(f"Lead time of alerts from {share}", number, more)


def _compared(found: Loss) -> str:
    return f"{words.compared(found)} ({words.loss(found.base)})"


def _tile(name: str, number: str, more: str) -> Html:
    figure, note = tag("dd", number, class_="number"), tag("dd", more, class_="more")
    return tag("div", tag("dt", name), figure, note, class_="tile")


def _figure(found: Figure) -> Html:
    return tag("figure", tag("h3", found.title), found.picture, tag("figcaption", found.caption))


def _details(title: str, table: Html) -> Html:
    return tag("details", tag("summary", title), tag("div", table, class_="scroll"))


def _bins(bins: Sequence[Bin]) -> Html:
    head = ("chance", "lines", "mean chance", "confirmed", "95 % range", "")
    return _table(head, [(_row(each), each.outside) for each in bins])


def _row(found: Bin) -> Sequence[str]:
    reported, *more = words.bin_row(found)
    lines, *others = more
    return reported, lines, percent(found.chance), *others


def _table(head: Sequence[str], rows: Sequence[tuple[Sequence[str], bool]]) -> Html:
    heads = tag("tr", [tag("th", each) for each in head])
    lines = [
        tag("tr", [tag("td", cell) for cell in cells], class_="outside" if outside else None)
        for cells, outside in rows
    ]
    return tag("table", heads, lines)
