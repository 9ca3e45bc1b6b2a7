"""antelog/forecast/inference/chances.py: which queries have no chances, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from antelog import Engine, parse
from antelog.forecast.inference.chances import notes, summary, without_chances
from tests.cli.trying import antelog
from tests.forecast.making import plan_of

PROGRAM = """
input Pay(card: text, amount: number, time).
input Sale(shop: text, amount: number, time) one per shop.
chance Pay(_, _, _) = 20%.
chance Sale(_, 5, _) = 20%.
chance Sale(_, 10, _) = 10%.
input Seen(shop: text, time).
{}
query P(X, T).
"""


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("Sale(X, V, T), V >= 7, Sale(X, W, T+1), W >= 7", "a comparison chooses the facts of Sale"),
        ("Sale(X, _, T), Sale(X, _, T+1)", "some of the facts of Sale"),
        ("Seen(X, T), Seen(X, T+1)", "no `chance` is declared for such facts of Seen"),
        ("Seen(X, T), not Sale(X, 7, T+1)", "no `chance` is declared"),
        ("Seen(X, T), not Sale(X, 5, T+1)", None),
        ("Sale(X, 10, T), sum(V : Sale(X, V, T..T+2), V >= 0) >= 20", None),
        ("Sale(X, 10, T), count(distinct V : Sale(X, V, T..T+2)) >= 2", None),
    ],
)
def test_why_there_are_no_chances(body: str, why: str | None) -> None:
    found = without_chances(plan_of(PROGRAM.format(f"P(X, T) :- {body}.")))
    assert ("P" in found) is (why is not None)
    assert why is None or why in found["P"]


def test_where_nothing_is_declared_nothing_is_missed() -> None:
    assert without_chances(plan_of("input Seen(x, time). P(X, T) :- Seen(X, T). query P(X, T).")) == {}


def test_answers_that_are_open_or_never_end_have_no_chance() -> None:
    rules = "P(X, Y, T) :- Ask(X, T), Reply(X, Y, T+1). Q(X, T) :- Ask(X, T), Reply(X, _, S), S > T."
    program = parse(f"input Ask(x, time). input Reply(x, y, time). {rules} query P(X, Y, T). query Q(X, T).")
    assert summary(program.plan) == {"P": "none with an open Y", "Q": "none: nothing bounds it in time"}
    assert notes(program.plan, learned=True)[0] == "Q has no chances, because nothing bounds it in time"
    engine = Engine(program, model="learn")
    for tick in range(30):
        engine.advance(tick, {"Ask": [("a", tick), ("b", tick)], "Reply": [("a", "c", tick)]})
    assert {*engine.answers("Q")["chance"].to_pylist()} == {None}


RUSH = """
input Pay(card: text, amount: number, time).
chance Pay(_, _, _) = 20%.
P(X, T) :- Pay(X, _, T), count(Pay(X, _, T..T+9)) >= 3.
query P(X, T).
"""
OUTCOMES = "note: P: its chances rest on earlier answers, not on what is declared"
WHY = "it counts atoms of which there may be several at a tick"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rush.alog").write_text(RUSH, encoding="utf-8")
    Path("pay.csv").write_text("card,amount,time\na,1,0\n", encoding="utf-8")


@pytest.mark.usefixtures("folder")
def test_check_says_why() -> None:
    assert f"  chances  none: {WHY}\n" in antelog("check", "rush.alog").stdout
    (query,) = json.loads(antelog("check", "rush.alog", "--json").stdout)["queries"]
    assert query["chances"] == f"none: {WHY}"


@pytest.mark.parametrize(
    ("more", "said"),
    [([], f"note: P has no chances, because {WHY}"), (["--model", "learn"], f"{OUTCOMES}, because {WHY}")],
)
@pytest.mark.parametrize("command", [["try"], ["watch", "--once", "--no-page"]])
@pytest.mark.usefixtures("folder")
def test_the_first_line_of_a_run_says_why(command: list[str], more: list[str], said: str) -> None:
    done = antelog(command[0], "rush.alog", "--input", "Pay=pay.csv", *command[1:], *more)
    assert done.stderr.splitlines()[0] == said
