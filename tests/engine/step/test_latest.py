"""antelog/engine/{step,facts}/latest.py: the latest fact of a slot, its values, and what is kept of it."""

from __future__ import annotations

from antelog import Engine, parse
from tests.engine.telling import reported, reported_at_once, reported_both_ways

LIMITS = """
    input Temp(x: text, v: number, time) delay 0.
    input Limit(x: text, most: number, time) delay {delay}, one per x. {more}
    Over(X, L, T) :- Temp(X, V, T), last Limit(X, L, {time}), V > L. query Over(X, L, T).
"""


def _limits(delay: int = 2, more: str = "", time: str = "T") -> str:
    return LIMITS.format(delay=delay, more=more, time=time)


def test_a_value_is_that_of_the_latest_fact_as_long_as_it_is_the_latest() -> None:
    facts = [
        ("Limit", "a", 90, 0, 0),
        ("Temp", "a", 99, 5, 5),
        ("Limit", "a", 95, 4, 6),  # later, and there a tick after the reading
    ]
    assert reported_both_ways(_limits(), facts, 8) == {
        5: ["possible Over(a, 90, 5): Temp(a, 99, 5) | last Limit(a, 90, 5), confirmed at 7, decided by 7"],
        6: [
            "rejected Over(a, 90, 5): Temp(a, 99, 5) | last Limit(a, 90, 5), because last Limit(a, 90, 5)",
            "possible Over(a, 95, 5): Temp(a, 99, 5) | last Limit(a, 95, 5), confirmed at 7, decided by 7",
        ],
        7: ["confirmed Over(a, 95, 5): Temp(a, 99, 5), last Limit(a, 95, 5) |"],
    }


def test_an_equal_value_that_takes_over_is_not_told_again() -> None:
    facts = [
        ("Limit", "a", 90, 0, 0),
        ("Temp", "a", 99, 5, 5),
        ("Limit", "a", 90, 4, 6),
        ("Limit", "a", 90, 5, 6),
    ]
    for some, then in ((facts, 6), (facts[:3], 8)):
        found = reported(_limits(3), some, 9)
        kinds = {tick: [line.split()[0] for line in lines] for tick, lines in found.items()}
        assert kinds == {5: ["possible"], then: ["confirmed"]}


def test_an_older_fact_that_comes_late_changes_nothing() -> None:
    facts = [("Limit", "a", 90, 4, 4), ("Temp", "a", 99, 5, 5), ("Limit", "a", 10, 3, 5)]
    assert [line.partition(":")[0] for line in reported_at_once(_limits(), facts, 8)] == [
        "possible Over(a, 90, 5)",
        "confirmed Over(a, 90, 5)",
    ]


def test_where_there_is_none_the_value_is_open() -> None:
    lines = reported(_limits(), [("Temp", "a", 99, 5, 5)], 8)
    open_ = "last Limit(a, L, 5) where 99 > L"
    assert lines == {
        5: [f"possible Over(a, _, 5): Temp(a, 99, 5) | {open_}, rejected at 7, decided by 7"],
        7: [f"rejected Over(a, _, 5): Temp(a, 99, 5) | {open_}, because {open_}"],
    }


def test_facts_of_other_delays_may_replace_it_late() -> None:
    """Nothing but 50 can fit after 5, but 90 may come until 9: until then the latest is 50."""
    text = """input Temp(x: text, time). input Limit(x: text, most: number, time) delay 4, one per x.
        delay Limit(_, 50, _) = 0.
        Low(X, T) :- Temp(X, T), last Limit(X, 50, T). query Low(X, T)."""
    lines = reported(text, [("Limit", "a", 50, 1, 1), ("Temp", "a", 5, 5), ("Limit", "a", 90, 4, 8)], 9)
    assert list(lines) == [5, 8]
    assert lines[5] == ["possible Low(a, 5): Temp(a, 5) | last Limit(a, 50, 5), confirmed at 9, decided by 9"]
    assert lines[8][0].startswith("rejected Low(a, 5)")


def test_any_value_will_do_as_soon_as_there_is_one() -> None:
    text = """input Temp(x: text, time). input Limit(x: text, most: number, time) delay 4, one per x.
        Known(X, T) :- Temp(X, T), last Limit(X, _, T). query Known(X, T)."""
    assert reported(text, [("Limit", "a", 50, 1, 1), ("Temp", "a", 5, 5)], 9) == {
        5: ["confirmed Known(a, 5): Temp(a, 5), last Limit(a, _, 5) |"]
    }


def _filled(text: str, devices: int = 40, ticks: int = 60) -> Engine:
    engine = Engine(parse(text))
    for now in range(ticks):
        facts = [(f"d{(now * 7 + i) % devices}", now, now, now) for i in range(devices // 2)]
        engine.advance(now, {"Limit": facts})
    return engine


def test_of_older_facts_the_latest_of_each_slot_are_kept() -> None:
    engine = _filled(_limits())
    engine.advance(1_000)
    assert 40 <= engine.status.state_rows <= 2 * 40 + 256 + 60
    again = Engine.restore(engine.to_bytes())
    assert again.status.state_rows == 40
    facts = {"Temp": [("d3", 1_000_000, 1_001, 1_001)]}
    log = engine.advance(1_010, facts)["Over"].to_pylist()
    assert log == again.advance(1_010, facts)["Over"].to_pylist()
    assert [row["change"] for row in log] == ["possible", "confirmed"]


def test_with_a_range_what_is_older_is_not_kept() -> None:
    engine = _filled(_limits(time="T-5..T"))
    engine.advance(1_000)
    assert Engine.restore(engine.to_bytes()).status.state_rows == 0
    assert (
        engine.advance(1_010, {"Temp": [("d3", 10**6, 1_001, 1_001)]})["Over"].num_rows == 2
    )  # open, rejected


def test_facts_that_are_given_up_are_remembered_all_the_same() -> None:
    engine = Engine(parse(_limits()), limit=3)
    engine.advance(5, {"Limit": [("a", 90, 0, 0), ("b", 90, 1, 1)]})
    engine.advance(6, {"Temp": [(f"c{i}", 1, 6, 6) for i in range(9)]})
    log = engine.advance(20, {"Temp": [("a", 99, 10, 10)]})["Over"].to_pylist()
    assert [(row["change"], row["L"]) for row in log][-1] == ("confirmed", 90)


PEAK = """
    input Temp(x: text, v: number, time) delay 1. input Stop(x: text, time). input Ok(x: text, time) delay 1.
    Peak(X, V, T) :- Temp(X, V, T), V >= 90, not Ok(X, T+1).
    Known(X, V, T) :- Stop(X, T), last Peak(X, V, T-5..T) per X. query Known(X, V, T).
"""


def test_a_value_is_that_of_the_latest_derived_atom() -> None:
    facts = [("Temp", "a", 95, 1, 1), ("Temp", "a", 91, 2, 2), ("Temp", "a", 93, 2, 2), ("Stop", "a", 6, 6)]
    assert reported_both_ways(PEAK, facts, 9) == {
        6: [
            f"possible Known(a, {value}, 6): Stop(a, 6) | last Peak(a, {value}, 1..6) per a, "
            "confirmed at 7, decided by 8"
            for value in (91, 93)
        ],
        7: [
            f"confirmed Known(a, {value}, 6): Stop(a, 6), last Peak(a, {value}, 1..6) per a |"
            for value in (91, 93)
        ],
    }


def test_an_atom_may_be_the_latest_because_nothing_came() -> None:
    """The peak at 6 is one once no Ok can come about 7; before, V is open."""
    facts = [("Temp", "a", 95, 6, 6), ("Stop", "a", 6, 6)]
    found = reported_both_ways(PEAK, facts, 9)
    assert found[6] == [
        "possible Known(a, _, 6): Stop(a, 6) | last Peak(a, V, 1..6) per a, rejected at 8, decided by 8"
    ]
    told = "Known(a, _, 6): Stop(a, 6) | last Peak(a, V, 1..6) per a"
    assert found[8] == [
        "confirmed Known(a, 95, 6): Stop(a, 6), last Peak(a, 95, 1..6) per a |",
        f"rejected {told}, because last Peak(a, V, 1..6) per a",
    ]
