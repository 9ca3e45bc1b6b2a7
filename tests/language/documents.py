"""Random syntax trees: everything the parser can make, whether it makes sense or not."""

from __future__ import annotations

from hypothesis import strategies as st

from antelog.language import syntax
from antelog.language.printer import KEYWORDS

WORDS = st.from_regex(r"[^\W\d_]\w{0,5}", fullmatch=True) | st.sampled_from(sorted(KEYWORDS))
NAMES = WORDS.filter(lambda word: word not in KEYWORDS)
VARIABLES = st.sampled_from(["X", "Y", "T", "Value", "Ä", "T2"])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | WORDS
NUMBERS = st.one_of(
    st.integers(-(2**53), 2**53),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(-1e308, 1e308).map(syntax.number),
)
AMOUNTS = st.integers(0, 2**53) | st.floats(0, 2**53).map(syntax.number)

LIMITS = {"patience": 15, "hot": 90.5, "cold": -5}  # limits that every document declares
UNITS = st.sampled_from(["minutes", "s"])
BOUNDS = st.builds(syntax.Bound, AMOUNTS, st.none() | NAMES) | st.builds(
    syntax.Bound, st.just(15), st.none() | NAMES, st.just("patience")
)
CONSTANTS = st.builds(syntax.Constant, TEXTS | NUMBERS) | st.sampled_from(
    [
        syntax.Constant(90.5, "hot"),
        syntax.Constant(-15, "-patience"),
        syntax.Constant(5, "-cold"),
        syntax.Constant("hot", '"hot"'),
    ]
)
TERMS = st.one_of(
    st.builds(syntax.Variable, VARIABLES),
    st.builds(syntax.Anonymous),
    CONSTANTS,
    st.builds(syntax.Shifted, VARIABLES, NUMBERS),
    st.builds(syntax.Shifted, VARIABLES, AMOUNTS, UNITS),
    st.builds(syntax.Shifted, VARIABLES, st.just(-15), st.none() | UNITS, st.just("-patience")),
    st.builds(syntax.Shifted, VARIABLES, st.just(5), st.none(), st.just("-cold")),
)


def several(elements: st.SearchStrategy[syntax.Term]) -> st.SearchStrategy[tuple[syntax.Term, ...]]:
    return st.lists(elements, max_size=4).map(tuple)


DURATIONS = st.builds(syntax.Constant, AMOUNTS, st.none(), UNITS) | st.builds(
    syntax.Constant, st.just(15), st.just("patience"), UNITS
)
ATOMS = st.builds(syntax.Atom, NAMES, several(TERMS | DURATIONS))
LITERALS = st.one_of(
    ATOMS,
    st.builds(syntax.Negation, ATOMS),
    st.builds(syntax.Comparison, TERMS, st.sampled_from(syntax.OPERATORS), TERMS),
)
PERCENTAGES = st.builds(syntax.Percentage, AMOUNTS)
SHARES = st.none() | st.lists(PERCENTAGES, min_size=1, max_size=3).map(tuple)
SOURCES = st.lists(st.builds(syntax.Column, WORDS), max_size=2).map(tuple)
GAPS = st.none() | st.builds(syntax.ExpectedGap, BOUNDS, SOURCES)
COLUMNS = st.lists(st.builds(syntax.Column, WORDS, st.none() | WORDS, st.none() | BOUNDS), max_size=3).map(
    tuple
)


def _slot(names: list[str]) -> tuple[syntax.Column, ...]:
    """The names of columns; `tick` is none in the first place."""
    return tuple(map(syntax.Column, names)) if names[:1] != ["tick"] else ()


_WORDS = st.none() | st.builds(syntax.Words, TEXTS)
SLOTS = st.lists(WORDS, max_size=3).map(_slot)
STATEMENTS: st.SearchStrategy[syntax.Statement] = st.one_of(
    st.builds(syntax.Tick, st.builds(syntax.Bound, AMOUNTS, NAMES)),
    st.builds(syntax.Zone, TEXTS),
    st.builds(syntax.Include, TEXTS),
    st.builds(syntax.Input, NAMES, COLUMNS, st.none() | BOUNDS, st.none() | SLOTS, st.none(), GAPS),
    st.builds(syntax.Input, NAMES, COLUMNS, BOUNDS, st.none() | SLOTS, SHARES, GAPS),
    st.builds(syntax.Static, NAMES, COLUMNS),
    st.builds(syntax.Delay, NAMES, several(TERMS), BOUNDS, SHARES),
    st.builds(syntax.Chance, NAMES, several(TERMS), PERCENTAGES, st.none() | PERCENTAGES),
    st.builds(syntax.Window, NAMES, BOUNDS, st.none() | BOUNDS),
    st.builds(
        syntax.Query,
        *(ATOMS, st.none() | BOUNDS, st.none() | BOUNDS, st.none() | PERCENTAGES),
        *(st.none() | st.sampled_from(syntax.SEVERITIES), _WORDS),
        *(st.lists(ATOMS, max_size=2).map(tuple), _WORDS, _WORDS),
    ),
    st.builds(syntax.Rule, ATOMS, st.lists(LITERALS, max_size=3).map(tuple)),
)
DECLARED = [syntax.Limit(name, value) for name, value in LIMITS.items()]
DOCUMENTS = st.lists(STATEMENTS, max_size=4).map(lambda found: syntax.Document((*DECLARED, *found)))
