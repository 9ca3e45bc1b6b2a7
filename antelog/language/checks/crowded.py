"""Chances of facts that exclude each other: together they are no more than 100%.

    input  Temp(device, level, time) one per device.
    chance Temp(_, high, _) = 60%.
    chance Temp(_, low, _)  = 50%.       % 110%: but at most one of the two can come

A device has one level at a tick, so there is one fact at most in each slot. That holds for each device: a
declaration for `wt4` takes the place of the one for all devices there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from antelog.diagnostics import Diagnostic, Note
from antelog.language.printer import percentage_text
from antelog.language.syntax import Value
from antelog.language.vocabulary import Chance, Predicate

_Constants = tuple[tuple[int, Value], ...]
"""Values at positions, in the order of these."""


def crowded_slots(predicate: Predicate, chances: Sequence[Chance]) -> Iterator[Diagnostic]:
    """Slots whose facts are likelier than 100% together; each set of declarations is reported once."""
    if predicate.slot is None:
        return
    inside = frozenset(predicate.slot)
    tables: dict[tuple[int, ...], dict[_Constants, list[Chance]]] = {}
    for chance in chances:
        own = _constants(chance, inside)
        tables.setdefault(tuple(i for i, _ in own), {}).setdefault(own, []).append(chance)
    reported: set[tuple[int, ...]] = set()
    for slot in _slots(tables):
        together = _deciding(slot, tables, inside)
        total = max(_totals(together), default=Fraction(0))
        places = tuple(chance.span.start for chance in together)
        if total > 1 and len(together) > 1 and places not in reported:
            reported.add(places)
            yield _crowded(predicate.name, together, total)


def _constants(chance: Chance, inside: frozenset[int]) -> _Constants:
    """The constants of a declaration in the columns of the slot."""
    return tuple((i, v) for i, v in enumerate(chance.pattern) if v is not None and i in inside)


def _slots(tables: Mapping[tuple[int, ...], Mapping[_Constants, object]]) -> list[_Constants]:
    """What declarations say about slots, and what several of them say together: `(a, _)`, `(_, b)`, `(a, b)`.

    Any other slot is met by the declarations that meet one of these.
    """
    known: dict[tuple[int, ...], dict[_Constants, None]] = {
        positions: dict.fromkeys(table) for positions, table in tables.items()
    }
    done: set[frozenset[tuple[int, ...]]] = set()
    while new := [pair for pair in combinations(known, 2) if frozenset(pair) not in done]:
        for here, there in new:
            done.add(frozenset((here, there)))
            if set(here) <= set(there) or set(there) <= set(here):
                continue
            shared = set(here) & set(there)
            meeting: dict[_Constants, list[_Constants]] = {}
            for one in known[here]:
                meeting.setdefault(tuple(c for c in one if c[0] in shared), []).append(one)
            for other in [*known[there]]:
                for one in meeting.get(tuple(c for c in other if c[0] in shared), ()):
                    both = tuple(sorted({*one, *other}, key=lambda constant: constant[0]))
                    known.setdefault(tuple(i for i, _ in both), {})[both] = None
    return [slot for table in known.values() for slot in table]


def _deciding(
    slot: _Constants,
    tables: Mapping[tuple[int, ...], Mapping[_Constants, list[Chance]]],
    inside: frozenset[int],
) -> list[Chance]:
    """For each kind of fact in a slot, the declaration that decides: the one with the most constants."""
    values = dict(slot)
    decided: dict[tuple[Value | None, ...], Chance] = {}
    for positions, table in tables.items():
        if not values.keys() >= set(positions):
            continue
        for chance in table.get(tuple((i, values[i]) for i in positions), ()):
            fact = tuple(None if i in inside else v for i, v in enumerate(chance.pattern))
            if fact not in decided or decided[fact].constants < chance.constants:
                decided[fact] = chance
    return sorted(decided.values(), key=lambda chance: chance.span.start)


def _totals(together: Sequence[Chance]) -> Iterator[Fraction]:
    """How likely it is that one of the facts comes: after none, and after each of them."""
    once = sum((chance.once for chance in together), Fraction(0))
    yield once
    yield from (once - chance.once + chance.again for chance in together)


def _crowded(name: str, together: Sequence[Chance], total: Fraction) -> Diagnostic:
    *others, last = together
    message = f"facts of {name} that exclude each other come to {percentage_text(total)} together"
    after = sum((chance.once for chance in together), Fraction(0)) <= 1
    hint = "At most one of them comes at a tick: let their chances come to 100% at most"
    hint += ", also where one has `again` and the others are new." if after else "."
    notes = tuple(Note("one of the others", chance.span) for chance in others[-3:])
    return Diagnostic("E112", message, last.span, hint, notes)
