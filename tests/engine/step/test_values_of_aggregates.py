"""`N = count(…)`: variables that have the value of an aggregate once nothing can change it any more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import antelog
from antelog.errors import ProgramError
from tests.cli.trying import antelog as command
from tests.engine.telling import Fact, reported_both_ways

P = "input P(x: text, v: number, time) delay 1{more}. input Go(x: text, time). "
FACTS: list[Fact] = [("Go", "a", 2, 2), ("P", "a", 5, 1, 1), ("P", "a", 8, 2, 3), ("P", "a", 9, 3, 3)]


def told(rules: str, facts: list[Fact] = FACTS) -> dict[int, list[str]]:
    """The lines of rules about P and Go, tick by tick or at once."""
    return reported_both_ways(P.format(more="") + rules, facts, 9)


def test_an_answer_is_open_until_it_has_the_value() -> None:
    lines = told("L(X, N, T) :- Go(X, T), N = count(P(X, _, T-1..T)). query L(X, N, T).")
    before = "L(a, _, 2): Go(a, 2) | N = count(P(a, _, 1..2))"
    assert lines == {
        2: [f"possible {before}, rejected at 3, decided by 3"],
        3: [
            "confirmed L(a, 2.0, 2): Go(a, 2), count(P(a, _, 1..2)) = 2 |",
            f"rejected {before}, because N = count(P(a, _, 1..2))",
        ],
    }


def test_conditions_wait_for_it_and_an_answer_without_it_goes_on() -> None:
    rules = "B(X, T) :- Go(X, T), N = 2 * avg(V : P(X, V, T-1..T+1)), N > {}. query B(X, T)."
    open_ = "B(a, 2): Go(a, 2) | N = 2 * avg(V : P(a, V, 1..3)) where N > "
    assert told(rules.format(14)) == {
        2: [f"possible {open_}14, rejected at 4, decided by 4"],
        4: ["confirmed B(a, 2): Go(a, 2), 2 * avg(V : P(a, V, 1..3)) = 14.666666666666666 |"],
    }
    failed = f"{open_.partition('| ')[2]}15"
    assert told(rules.format(15))[4] == [f"rejected {open_}15, because {failed}"]
    # Silence ends it with the value there is: of 3 ticks there is one now.
    (line,) = told(rules.format(9))[2]
    assert line.endswith("confirmed at 4, decided by 4")


@pytest.mark.parametrize(
    ("body", "tick", "line"),
    [
        ("D = max(V : P(X, V, T+3..T+4))", 7, "rejected L(_, 2)"),  # of nothing there is none
        ("N = max(V : P(X, V, T-1..T)), M = min(V : P(X, V, T-1..T)), D = N - M", 3, "confirmed L(3.0, 2)"),
        ("N = count(P(X, _, T-1..T)), P(X, D, T+1), D > 4 * N", 3, "confirmed L(9, 2)"),
    ],
)
def test_a_value_is_used(body: str, tick: int, line: str) -> None:
    assert told(f"L(D, T) :- Go(X, T), {body}. query L(D, T).")[tick][0].startswith(f"{line}: ")


@pytest.mark.parametrize(
    ("asking", "confirmed"),
    [
        *(("not L(X, 2, T)", []), ("not L(X, 3, T)", [3]), ("not L(X, _, T+1)", [3])),
        *(("count(L(X, _, T-1..T)) > 0", [3]), ("M = sum(N : L(X, N, T-1..T)), M = 2", [3])),
        *(("L(X, V, T), P(X, V, T)", []), ("L(X, N, T), N = 2", [3]), ("last L(X, _, T-3..T) per X", [3])),
    ],
)
def test_other_rules_ask_for_it(asking: str, confirmed: list[int]) -> None:
    rules = f"L(X, N, T) :- Go(X, T), N = count(P(X, _, T-1..T)). Z(X, T) :- Go(X, T), {asking}. "
    lines = told(f"{rules} query Z(X, T).")
    assert [at for at, own in lines.items() for line in own if line.startswith("confirmed")] == confirmed


def test_a_variable_with_a_value_from_elsewhere_is_compared() -> None:
    facts = [*FACTS, ("P", "b", 1, 2, 2)]
    lines = told("B(X, T) :- P(b, V, T), Go(X, T), V = count(P(X, _, T-1..T+9)). query B(X, T).", facts)
    assert "P(b, 1, 2) | count(P(a, _, 1..11)) = 1 ; " in lines[2][0]
    assert lines[3][0].startswith("rejected B(a, 2)")  # with the second there are too many


def test_what_nobody_could_see_is_lost() -> None:
    rules = "L(X, N, T) :- Go(X, T), N = count(P(X, 5, T+1..T+2)). query L(X, N, T)."
    engine = antelog.Engine(antelog.parse(P.format(more=", every 1 per x") + rules))
    engine.advance(2, {"Go": [("a", 2)], "P": [("a", 5, 2)]})
    lost = {row["change"]: row["lost"] for row in engine.advance(9)["L"].to_pylist()}
    assert lost == {"confirmed": ["count(P(a, 5, 3..4)) = 0"], "rejected": ["N = count(P(a, 5, 3..4))"]}


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("L(X, N, T) :- Go(X, T), N = count(L(X, _, T-9..T-1)). query L(X, N, T).", "atoms that rest on L"),
        ("L(T) :- Go(X, T), N = count(P(X, M, T)), M = count(P(X, N, T)). query L(T).", "gives M a value"),
        ("L(X, T) :- Go(X, _), T = count(P(X, _, 0..9)). query L(X, T).", "no atom gives it a value"),
        ("L(X, T) :- Go(X, T), _ = count(P(X, _, T)). query L(X, T).", "`_` has no value"),
        ("L(N, T) :- Go(X, T), N = count(P(X, _, T)). L(x, T) :- Go(x, T). query L(N, T).", "a number"),
    ],
)
def test_what_cannot_give_a_value_is_refused(rules: str, said: str) -> None:
    with pytest.raises(ProgramError, match=said):
        antelog.parse(P.format(more="") + rules)


def test_commands_show_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rules = """L(X, N, T) :- Go(X, T), N = count(P(X, _, T-1..T)). B(X, T) :- L(X, N, T), N > 1.
        query L(X, N, T) "{X} has {N}". query B(X, T). chance P(_, _, _) = 5%, again 5%."""
    Path("p.alog").write_text(P.format(more="") + rules)
    Path("p.csv").write_text("x,v,time,arrival\na,5,1,1\na,8,2,3\n")
    Path("go.csv").write_text("x,time,arrival\na,2,2\n")
    facts = ("--input", "P=p.csv", "--input", "Go=go.csv", "--arrival", "arrival")
    done = command("try", "p.alog", *facts)
    texts = [line.get("text") for line in map(json.loads, done.stdout.splitlines())]
    assert [*filter(None, texts)] == ["a has ?", "a has 2", "a has ?"]
    assert "B has no chances, because it takes the value of an aggregate" in done.stderr
    listed = command("try", "p.alog", *facts, "--format", "table").stdout
    assert "○ N = count(P(a, _, 1..2)) where N > 1 (1 so far)" in listed
    early = command("why", "p.alog", "B(a, 2)", "--at", "2", *facts).stdout
    assert "○ N = count(P(a, _, 1..2))   comes to 1 so far; decided by tick 3" in early
    assert "● count(P(a, _, 1..2)) = 2   comes to 2" in command("why", "p.alog", "B(a, 2)", *facts).stdout
