"""What a model has learned, in words for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from antelog.compile.nodes.plan import Plan
from antelog.escaping import shown
from antelog.forecast.chances.forms import Unknown, forms
from antelog.forecast.chances.questions import whole_fits
from antelog.forecast.files.model import Model
from antelog.forecast.learned import Learned, Rates, learned
from antelog.forecast.report import words
from antelog.forecast.report.percents import percent

_WIDTH = 78
_LABEL = 12


def learned_text(model: Model) -> str:
    """How often the facts of each series come, how late, and for which keys it differs most."""
    parts = ["\n".join(_series(each)) for each in learned(model)]
    if not parts:
        parts = ["\n".join(wrap(_NOTHING, _WIDTH))]
    parts += ["\n".join(wrap(text, _WIDTH)) for text in _without(model.plan)]
    return "\n\n".join(parts) + "\n"


_NOTHING = (
    "Of single facts nothing is known yet: they are counted by 20 ticks, when all of these have come. "
    "Chances rest on the outcomes of earlier answers alone."
)


_TOO_LARGE = "its formula is too large to work out"


def _without(plan: Plan) -> Iterator[str]:
    for query, form in forms(plan).items():
        reason = form.reason if isinstance(form, Unknown) else "" if whole_fits(form) else _TOO_LARGE
        if reason:
            yield (
                f"{shown(query)}: its chances rest on the outcomes of earlier answers alone, not on how "
                f"often facts come, because {reason}."
            )


def _series(found: Learned) -> Iterator[str]:
    keys = ", ".join(map(shown, found.keys))
    of = f" with {words.count(found.known, 'value')} of {keys}" if keys else ""
    yield f"{shown(found.facts)}: {words.count(found.count, 'fact')}{of}"
    yield from _labelled("how often", _often(found.rates))
    yield from _labelled("how late", _late(found.rates))
    width = max((len(shown(name)) for name, _ in found.different), default=0)
    label = "differs most"
    for name, rates in found.different:
        often = f"{percent(rates.once)} after one without, {percent(rates.again)} after one with"
        yield from _labelled(label, f"{shown(name):<{width}}  {often}")
        label = ""


def _often(rates: Rates) -> str:
    return (
        f"{percent(rates.once)} of the ticks after one without have one, {percent(rates.again)} of those "
        f"after one with; {percent(rates.often)} of all in the long run"
    )


def _late(rates: Rates) -> str:
    parts = [
        f"{percent(share)} {'in time' if late == 0 else words.count(late, 'tick') + ' late'}"
        for late, share in enumerate(rates.shares)
        if percent(share) != "0 %"
    ]
    return ", ".join(parts)


def _labelled(label: str, text: str) -> list[str]:
    indent = " " * (_LABEL + 4)
    first = f"  {label:<{_LABEL}}  "
    kept = wrap(text.replace(" %", "\xa0%"), _WIDTH, initial_indent=first, subsequent_indent=indent)
    return [line.replace("\xa0", " ") for line in kept]
