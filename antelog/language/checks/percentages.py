"""Percentages: they lie between 0% and 100%, and shares of a delay add up to no more than 100%."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from antelog.diagnostics import Diagnostic, Span
from antelog.language import syntax
from antelog.language.printer import percentage_text, to_text


def percentage_problems(*given: syntax.Percentage | None) -> Iterator[Diagnostic]:
    """Percentages above 100%; none can be written that is below 0%."""
    for each in given:
        if each is not None and each.fraction > 1:
            message = f"{to_text(each)} is more than all there is, which is 100%"
            yield Diagnostic("E111", message, each.span, "Write a percentage from 0% to 100%.")


def alert_problems(query: syntax.Query) -> Iterator[Diagnostic]:
    yield from percentage_problems(query.alert)
    if query.alert is not None and not query.alert.fraction:
        message = "every open answer has a chance of at least 0%, so there would be an alert for each"
        hint = "Write from which chance on an answer is worth an alert, such as `alert 80%`."
        yield Diagnostic("E111", message, query.alert.span, hint)


def share_problems(shares: tuple[syntax.Percentage, ...], delay: int) -> Iterator[Diagnostic]:
    """Shares that are not one for each tick of a delay, or that are more than all facts."""
    yield from percentage_problems(*shares)
    whole = Span(shares[0].span.start, shares[-1].span.end)
    if len(shares) != delay + 1:
        ticks, own = ("tick" if delay == 1 else "ticks"), ("share" if delay == 0 else "shares")
        message = f"a delay of {delay} {ticks} has {delay + 1} {own}, not {len(shares)}"
        hint = f"Write which share of the facts comes {_ticks_late(delay)} late; the rest never comes."
        yield Diagnostic("E111", message, whole, hint)
    total = sum((share.fraction for share in shares), Fraction(0))
    if total > 1 and all(share.fraction <= 1 for share in shares):
        message = f"these shares come to {percentage_text(total)}, which is more than all facts"
        hint = "Let them come to 100%, or to less: what is missing to 100% never comes."
        yield Diagnostic("E111", message, whole, hint)


def _ticks_late(delay: int) -> str:
    if delay == 0:
        return "0 ticks"
    names = [str(tick) for tick in range(delay)] if delay < 4 else ["0", "1", "and so on"]
    return f"{', '.join(names)} and {delay} ticks" if delay < 4 else f"{', '.join(names)} up to {delay} ticks"
