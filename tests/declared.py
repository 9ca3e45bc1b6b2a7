"""The inputs and static predicates of random programs, their values, and how they are declared."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hypothesis import strategies as st

COLUMNS = {"A": ("x",), "B": ("x", "y"), "C": (), "R": ("x", "v: number")}
STATIC = {
    "Site": "static Site(x: text). Site(a). Site(b).",
    "Link": "static Link(x: text, y: text). Link(a, b). Link(b, c).",
    "Path": (
        "static Path(x: text, y: text). Path(X, Y) :- Link(X, Y). Path(X, Z) :- Link(X, Y), Path(Y, Z)."
    ),
    "Root": "static Root(x: text). Root(X) :- Link(X, _), not Link(_, X).",
}
STATIC_ARITY = {"Site": 1, "Link": 2, "Path": 2, "Root": 1}
REFINEMENTS = {
    "A": ("delay A(a, _) = 2.", "delay A(b, _) = 0."),
    "B": ("delay B(a, _, _) = 2.", "delay B(a, b, _) = 1.", "delay B(_, a, _) = 2."),
    "R": ("delay R(a, _, _) = 2.", "delay R(a, 10, _) = 0."),
    "C": (),
}
SLOTS = {
    "A": ("", "", "", "one per tick"),
    "B": ("", "", "", "one per x", "one per y", "one per tick"),
    "R": ("", "", "one per x", "one per x", "one per tick"),
    "C": ("",),
}
GAPS = {
    "A": ("", "every 1 per x", "every 2", "every 2 per x", "every 3 per x"),
    "B": ("", "every 1", "every 2", "every 2 per x", "every 1 per x and y", "every 3 per y"),
    "R": ("", "every 1", "every 2", "every 2 per x", "every 3 per x"),
    "C": ("", "every 2"),
}
TEXTS = ("a", "b", "c")
NUMBERS = (5, 10, 12.5)


def declarations(draw: st.DrawFn, rules: str, *, watched: bool | None = None) -> Iterator[str]:
    """Declarations of inputs and static predicates in rules; `watched` inputs say how often facts come."""
    watched = draw(st.booleans()) if watched is None else watched
    untyped = "R(" not in rules and draw(st.booleans())
    for name, columns in COLUMNS.items():
        declared = f"last {name}(" in rules or name not in "AC" or draw(st.integers(0, 9)) > 0
        if f"{name}(" in rules and declared:
            typed = (c if untyped or ":" in c else f"{c}: text" for c in columns)
            delay = draw(st.sampled_from(["", "delay 1", "delay 1", "delay 2"]))
            slots = SLOTS[name]
            if re.search(rf"last {name}\([^)]*\)(?! per)", rules):
                slots = tuple(filter(None, slots))
            slot = draw(st.sampled_from(slots))
            gap = draw(st.sampled_from(GAPS[name])) if watched else ""
            clauses = ", ".join(filter(None, (delay, slot, gap)))
            yield f"input {name}({', '.join((*typed, 'time'))}) {clauses}".rstrip() + "."
            if draw(st.booleans()) and columns:
                refinement = st.sampled_from(REFINEMENTS[name])
                yield from draw(st.lists(refinement, min_size=1, max_size=2, unique=True))
    used = {name for name in STATIC if f"{name}(" in rules}
    if used & {"Path", "Root"}:
        used.add("Link")
    yield from (STATIC[name] for name in STATIC if name in used)
