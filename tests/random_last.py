"""Random `last` literals for the programs of `tests/strategies.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

_TIMES = ("T", "T", "T", "T+1", "T-1")
_RANGES = ("T-1..T", "T-2..T", "T-2..T-1", "T..T+1", "T+1..T+2", "T..T", "0..T")


def last(draw: st.DrawFn, arities: Mapping[str, int], objects: Sequence[str]) -> str:
    """A literal about the latest fact; `objects` are the variables that have values outside.

    Inputs have a slot if it names none. Variables that have no value outside may take one of that fact.
    """
    derived = sorted(name for name, arity in arities.items() if arity and len(name) > 1)
    name = draw(st.sampled_from(("B", "B", "B", "R", "R", "A", *derived)))
    bound = list(objects) or ["a"]
    arguments = [draw(st.sampled_from(["a", *bound, *bound])) for _ in range(arities[name])]
    if len(arguments) > 1:
        place = 1 if name == "R" else draw(st.integers(0, 1))
        others = ["10", "L", "L", "L", "_"] if name == "R" else ["_", "a", "b", "Y", "Y", "Y", *bound]
        arguments[place] = draw(st.sampled_from(others))
    ranged = len(name) > 1 or draw(st.integers(0, 2)) == 0
    time = draw(st.sampled_from(_RANGES if ranged else _TIMES))
    per = ""
    if len(name) > 1 or (ranged and draw(st.booleans())):
        named = [each for each in arguments if each not in ("_", "L")] or ["a"]
        per = f" per {draw(st.sampled_from(named))}"
    return f"last {name}({', '.join((*arguments, time))}){per}"
