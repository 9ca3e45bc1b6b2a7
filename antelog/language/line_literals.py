"""Literals as lines have them: texts, read once into what views show.

    Temp(wt2, high, 7)             of Temp, at tick 7
    not Shdn(wt2, 3..8)            of Shdn, negated, at tick 8; 3 is a tick, too
    last Mode(wt2, run, 7)         of Mode, at tick 7
    Ack(a1, P, S) where S >= 4     of Ack, at a tick that is open; 4 is a tick
    Ack(a1, P, S) where 9 <= S+4   likewise; with a clock it is S that is compared, with tick 5
    Ack(a1, P, S) where D = S - 4  likewise: D is the ticks between
    count(Fail(wt2, 0..9)) >= 3    of Fail, at tick 9; 0 is a tick, 3 is none
    count(A(0..9)) > 3 * count(B(0..9))    of A, at tick 9; both ranges are ticks
    N = count(A(0..9))             of A, at tick 9

In tables, logs, feeds and on Spark literals are texts in the language's syntax. This is the one place that
reads them. Each text is read in one pass, for values may be long, and come from anybody.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from antelog.language.printer import value_text

# A text in quotes; one without an end goes on to that of the whole, so that it is read once.
_QUOTED = r'"(?>[^"\\]++|\\.?+)*+(?:"|\Z)'
_TICK = r"(?:0|[1-9][0-9]{0,17})"
_NUMBER = r"-?[0-9.]++(?:e[+-]?[0-9]++)?+"
_ONLY_TICK = re.compile(_TICK)

# An atom, which may stand in an aggregate, behind `N = (2 * `, up to its closing bracket.
_ATOM = re.compile(
    rf"(?:\w++ = )?+(?:\(|{_NUMBER} [-+*/] )*+(not |last )?"
    rf'(?:\w++\((?:distinct )?+(?:\w++ : )?+)?(\w++)\(((?>[^"()]++|{_QUOTED})*+)(?=\))',
    re.DOTALL,
)
_ARGUMENT = re.compile(rf'(?:{_QUOTED}|[^",])++', re.DOTALL)
# The other aggregate of a comparison of two.
_OTHER = re.compile(
    rf"{_QUOTED}|\b(?:count|sum|avg|min|max)\((?:distinct )?+(?:\w++ : )?+\w++"
    rf'\((?P<arguments>(?>[^"()]++|{_QUOTED})*+)(?=\))',
    re.DOTALL,
)
_SHIFT = r"(?: ?[+-] ?[0-9]++)?+"
_COMPARED = re.compile(
    rf"{_QUOTED}|(?<![\w.])(?:"
    rf"(?P<left>\w++)(?P<left_shift>{_SHIFT}) [!<=>]++ (?P<tick>{_TICK})"
    rf"|(?P<first>{_TICK}) [!<=>]++ (?P<right>\w++)(?P<right_shift>{_SHIFT})"
    rf"|(?P<later>\w++) - (?P<begin>{_TICK})|(?P<end>{_TICK}) - (?P<earlier>\w++)"
    r")(?=[,)]|\Z)",
    re.DOTALL,
)


class MovedTick(int):
    """The tick that a variable is compared with if its shift is taken off: 5 in `9 <= S+4`."""

    shown: int

    def __new__(cls, shown: int, shift: int) -> MovedTick:
        found = super().__new__(cls, shown - shift)
        found.shown = shown
        return found


class Shift(str):
    """The text of a shift, which nobody adds to a time of the clock: `+4`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class LineLiteral:
    """A literal of a line: the tick it is about, if that is known, and the pieces of its text.

    Pieces that are numbers are ticks. A literal about a range of ticks is about the last of them.
    """

    predicate: str
    negated: bool
    tick: int | None
    pieces: tuple[str | int, ...]

    def text(self, written: Callable[[int], str]) -> str:
        """The text, with each tick as `written` has it; where that is a clock, nothing is in ticks."""
        moved = [piece.shown for piece in self.pieces if isinstance(piece, MovedTick)]
        if not any(written(tick) != str(tick) for tick in moved):
            return "".join(
                piece
                if isinstance(piece, str)
                else written(piece.shown if isinstance(piece, MovedTick) else piece)
                for piece in self.pieces
            )
        return "".join(
            "" if isinstance(piece, Shift) else piece if isinstance(piece, str) else written(piece)
            for piece in self.pieces
        )


def awaited(explanation: Mapping[str, Any]) -> tuple[LineLiteral, ...]:
    """The hypotheses of an explanation, with what aggregates come to so far.

    count(Fail(wt2, _, 0..9)) >= 3 (2 so far)
    """
    values = amounts_so_far(explanation)
    found = ((read_literal(text), text) for text in explanation.get("hypotheses") or ())
    return tuple(
        replace(literal, pieces=(*literal.pieces, f" ({amount_text(values[text])} so far)"))
        if text in values
        else literal
        for literal, text in found
    )


def amounts_so_far(explanation: Mapping[str, Any]) -> dict[str, float | None]:
    """The values so far of the aggregates of an explanation, by their texts.

    Lines have an object, tables a list of pairs; this is the one place that knows both.
    """
    found = explanation.get("so_far") or {}
    if isinstance(found, Mapping):
        return dict(found)
    whole = {each["literal"]: each.get("whole") for each in found}
    return {
        each["literal"]: whole_if_it_is(each["value"])
        if whole[each["literal"]] is None
        else whole[each["literal"]]
        for each in found
    }


def whole_if_it_is(value: float | None) -> float | None:
    """The value as a whole number where it is one, as lines print it."""
    return int(value) if value is not None and abs(value) < 2**53 and value == int(value) else value


def amount_text(value: float | None) -> str:
    """The value of an aggregate, to three decimals if it is not a whole number: 53.667."""
    return "nothing" if value is None else value_text(round(value, 3) or value)


def read_literal(text: str) -> LineLiteral:
    """The literal that a text of a line is. A text that is none is a single piece."""
    atom = _ATOM.match(text)
    if atom is None:
        return LineLiteral(text, text.startswith("not "), None, (text,))
    begin, time = _time(text, *atom.span(3))
    pieces: list[str | int] = [text[:begin], *time]
    last = time[-1]
    if all(isinstance(each, int) for each in time[::2]):
        pieces += _others(text[atom.end(3) :])
    else:
        pieces += _conditions(text[atom.end(3) :], [str(each) for each in time[::2]])
    return LineLiteral(atom[2], atom[1] == "not ", last if isinstance(last, int) else None, tuple(pieces))


def arguments_of(text: str) -> tuple[str, ...]:
    """The arguments of the first atom of a literal, as they are written: `wt2`, `high`, `8`."""
    atom = _ATOM.match(text)
    return () if atom is None else tuple(each.strip() for each in _ARGUMENT.findall(atom[3]))


def _time(text: str, first: int, end: int) -> tuple[int, list[str | int]]:
    """The place of the last of these arguments, and its pieces: a tick, or two with `..` between."""
    begin = text.rfind(" ", first, end) + 1 or first
    low, dots, high = text[begin:end].partition("..")
    ends = [low, dots, high] if dots else [low]
    return begin, [int(each) if _ONLY_TICK.fullmatch(each) else each for each in ends]


def _others(text: str) -> Iterator[str | int]:
    """The pieces of what follows a time that is known: another aggregate may have one, too."""
    at = 0
    for found in _OTHER.finditer(text):
        if found["arguments"] is not None:
            begin, time = _time(text, *found.span("arguments"))
            yield text[at:begin]
            yield from time
            at = found.end()
    yield text[at:]


def _conditions(text: str, ends: Sequence[str]) -> Iterator[str | int]:
    """The pieces of what follows a time that is open: its variables are compared with ticks."""
    variables = {re.split("[+-]", each)[0] for each in ends}
    at = 0
    for found in _COMPARED.finditer(text):
        for name, known in (("later", "begin"), ("earlier", "end")):  # `D = U - 5`, `D = 9 - T`
            if found[name] in variables:
                yield from (text[at : found.start(known)], int(found[known]))
                at = found.end(known)
        tick = "tick" if found["left"] in variables else "first" if found["right"] in variables else None
        if tick is None:
            continue
        place = "left_shift" if tick == "tick" else "right_shift"
        shift = found[place].replace(" ", "")
        number = int(found[tick])
        parts: dict[str, str | int] = {tick: number, place: Shift(found[place])}
        if shift:
            parts[tick] = MovedTick(number, int(shift))
        for each in sorted(parts, key=found.start):
            yield text[at : found.start(each)]
            yield parts[each]
            at = found.end(each)
    yield text[at:]
