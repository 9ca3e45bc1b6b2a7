"""What a program declares about how likely facts are, in plain words.

Temp(_, high, _): 5 in 100 ticks after one without have one, 80 in 100 after one with
Temp(wt4, _, _): of 100 facts 70 come in time, 20 come 1 tick late, 8 come 2 ticks late, 2 never come
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from antelog.compile.literals.terms import call_text
from antelog.compile.nodes.plan import Chance, Input
from antelog.language.printer import percentage_text, value_text

_Values = tuple[str | int | float | None, ...]


def odds_lines(source: Input) -> Iterator[str]:
    """One line for each chance, and for each delay with shares."""
    for chance in source.chances:
        yield f"{_facts(source, chance.pattern)}: {_chance_text(chance)}"
    everything = (None,) * len(source.types)
    for pattern, shares in [
        (everything, source.shares),
        *((each.pattern, each.shares) for each in source.refinements),
    ]:
        if shares is not None:
            yield f"{_facts(source, pattern)}: of 100 facts {_shares_text(shares)}"


def _facts(source: Input, pattern: _Values) -> str:
    return call_text(source.name, ["_" if value is None else value_text(value) for value in (*pattern, None)])


def _chance_text(chance: Chance) -> str:
    once, again = _in_hundred(chance.once), _in_hundred(chance.again)
    if once == again:
        return f"{once} in 100 ticks have one, whether or not the tick before has"
    return f"{once} in 100 ticks after one without have one, {again} in 100 after one with"


def _shares_text(shares: tuple[float, ...]) -> str:
    parts = [f"{_in_hundred(share)} come {_late(ticks)}" for ticks, share in enumerate(shares)]
    lost = 1 - sum(Fraction(str(share)) for share in shares)
    return ", ".join([*parts, f"{_in_hundred(lost)} never come"] if lost > 0 else parts)


def _late(ticks: int) -> str:
    return "in time" if ticks == 0 else f"{ticks} {'tick' if ticks == 1 else 'ticks'} late"


def _in_hundred(probability: Fraction | float) -> str:
    return percentage_text(probability).removesuffix("%")
