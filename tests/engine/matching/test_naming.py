"""antelog/engine/matching/naming.py: the values of an unguarded variable, and since when they are named."""

from __future__ import annotations

import numpy as np

from antelog.engine.columns.spans import span
from antelog.engine.matching.naming import FITS, NAMED_AT, with_names
from antelog.engine.matching.partials import Partial
from antelog.engine.matching.rows import Rows
from tests.engine.stages import Stage, stage

CALM = "input Alarm(x, time) delay 2. Calm(X, T) :- not Alarm(X, T){more}. query Calm(X, T)."


def named(given: Stage, tick: int, number: int = 0) -> list[tuple[object, object, object]]:
    """Values of X for the answers about a tick, since when each is named, and whether it fits."""
    prepared, background = given.pattern("Calm", number)
    ticks = Rows({"T": np.array([tick])}, 1)
    part = Partial(ticks, np.zeros((0, 1), np.int64))
    found = with_names(given.known, prepared, background, part, span(tick, tick))
    rows = given.read(prepared, found.rows)
    return [(row["X"], row[NAMED_AT], row[FITS]) for row in rows]


def test_facts_name_values_for_the_answers_they_belong_to() -> None:
    given = stage(CALM.format(more=""), [("Alarm", "a", 0, 1), ("Alarm", "b", 3, 3)])
    assert sorted(named(given, 0)) == [("a", 1, 1), ("others", -1, 1)]
    assert sorted(named(given, 3)) == [("b", 3, 1), ("others", -1, 1)]
    assert named(given, 7) == [("others", -1, 1)]


def test_so_do_constants_of_rules_comparisons_and_delays() -> None:
    text = CALM.format(more=", X != c") + " delay Alarm(slow, _) = 5. Calm(d, T) :- Alarm(d, T)."
    given = stage(text)
    number = [bool(p.asked) for p in given.known.rules.patterns["Calm"]].index(True)
    # c is named, too, though no answer: the comparison excludes it.
    assert sorted(named(given, 0, number)) == [("c", -1, 0), ("d", -1, 1), ("others", -1, 1), ("slow", -1, 1)]


def test_background_names_values_below_what_is_negated() -> None:
    text = """static Site(x). Site(a). Site(b). input Alarm(x, time).
        Loud(X, T) :- Site(X), Alarm(X, T). Calm(X, T) :- not Loud(X, T). query Calm(X, T)."""
    assert sorted(named(stage(text), 4)) == [("a", -1, 1), ("b", -1, 1), ("others", -1, 1)]
