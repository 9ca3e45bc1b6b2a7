"""Random calculations for random programs, in comparisons and in equations that give values."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

_NUMBERS = ("2", "0.5", "-3", "-1", "0")
_FUNCTIONS = ("abs", "round", "floor")


def calculation(draw: st.DrawFn, names: Sequence[str], depth: int = 2) -> str:
    """A calculation with some of these variables; now and then a division by zero."""
    if not depth or (depth == 1 and draw(st.integers(0, 3)) == 0):
        return draw(st.sampled_from([*names, *names, *_NUMBERS]))
    if draw(st.integers(0, 2)) == 0:
        return f"{draw(st.sampled_from(_FUNCTIONS))}({calculation(draw, names, depth - 1)})"
    one, other = (calculation(draw, names, depth - 1) for _ in range(2))
    return f"({one} {draw(st.sampled_from('+-*/'))} {other})"


def calculated(draw: st.DrawFn, names: Sequence[str], operator: str, other: str) -> str:
    """A comparison of a calculation, also by way of a variable that it gives a value."""
    found = calculation(draw, names)
    if draw(st.integers(0, 2)) == 0:
        return f"D = {found}, D {operator} {other}"
    return f"{other} {operator} {found}" if draw(st.booleans()) else f"{found} {operator} {other}"
