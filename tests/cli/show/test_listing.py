"""antelog/cli/show/listing.py: changes and snapshots for people."""

import io
from pathlib import Path

import pyarrow as pa
import pytest
from rich.console import Console

import antelog as antelog_library
from antelog.cli.show.listing import listing, print_changes
from antelog.run.sinks.result import StepResult
from tests.cli.trying import PROGRAM, antelog, messages, try_

pytestmark = pytest.mark.usefixtures("here")


def test_a_listing_of_changes() -> None:
    done = try_("--input", "Temp=temp.csv", "--format", "table")
    assert (done.exit_code, messages(done)) == (0, "done: 3 facts\n")
    blocks = done.stdout.split("\n\n")
    assert blocks[0] == (
        "tick 0\n"
        "  possible   Malf  X = wt2, T = 0   rejected at 2 if nothing comes, decided by 2\n"
        "             ● Temp(wt2, high, 0)  ○ Temp(wt2, high, 1)"
    )
    assert blocks[2].startswith(
        "tick 2\n  confirmed  Malf  X = wt2, T = 0\n             ● Temp(wt2, high, 0)  ● Temp(wt2, high, 1)\n"
    )
    assert "             because ✗ Temp(wt4, high, 2)\n" in blocks[3]


def test_a_listing_of_snapshots() -> None:
    done = try_("--input", "Temp=temp.csv", "--format", "table", "--snapshots")
    blocks = done.stdout.split("\n\n")
    assert "  open       Malf  X = wt2, T = 1   rejected at 3 if nothing comes" in blocks[2]
    assert blocks[3] == "tick 3\n  nothing is open\n"


def test_a_listing_has_times() -> None:
    rules = "tick 1 day.\ninput P(x, day).\nQ(X, T) :- P(X, T), P(X, T+1).\nquery Q(X, T).\n"
    Path("days.alog").write_text(rules, encoding="utf-8")
    Path("p.csv").write_text("x,day\na,2024-03-04\n", encoding="utf-8")
    assert antelog("try", "days.alog", "--input", "P=p.csv", "--format", "table").stdout.startswith(
        "2024-03-04\n"
        "  possible   Q  X = a, T = 2024-03-04   "
        "rejected at 2024-03-05 if nothing comes, decided by 2024-03-05\n"
        "             ● P(a, 2024-03-04)  ○ P(a, 2024-03-05)\n"
    )


def test_a_listing_has_what_an_open_aggregate_comes_to_so_far() -> None:
    rules = (
        "input P(x, v: number, time) delay 1.\n"
        "Q(X, T) :- P(X, _, T), count(P(X, _, T..T+3)) >= 3, avg(V : P(X, V, T+2..T+3)) > 1.\n"
        "query Q(X, T).\n"
    )
    Path("counts.alog").write_text(rules, encoding="utf-8")
    Path("p.csv").write_text("x,v,time\na,2,0\na,2,1\na,2.5,2\na,2,4\n", encoding="utf-8")
    done = antelog("try", "counts.alog", "--input", "P=p.csv", "--format", "table")
    evidence = "             ● P(a, 2, 0)  "
    shown = [line for line in done.stdout.splitlines() if line.startswith(evidence)]
    assert shown == [
        f"{evidence}○ avg(V : P(a, V, 2..3)) > 1 (nothing so far)  ○ count(P(a, _, 0..3)) >= 3 (1 so far)",
        f"{evidence}○ avg(V : P(a, V, 2..3)) > 1 (nothing so far)  ○ count(P(a, _, 0..3)) >= 3 (2 so far)",
        f"{evidence}● count(P(a, _, 0..3)) >= 3  ○ avg(V : P(a, V, 2..3)) > 1 (2.5 so far)",
        f"{evidence}● avg(V : P(a, V, 2..3)) > 1  ● count(P(a, _, 0..3)) >= 3",
    ]


def test_a_listing_of_nothing_says_so() -> None:
    Path("cold.csv").write_text("device,level,time\nwt2,low,0\n", encoding="utf-8")
    note = "note: there were no changes to show\n"
    assert try_("--input", "Temp=cold.csv", "--format", "table").stderr == f"{note}done: 1 fact\n"
    assert try_("--input", "Temp=cold.csv").stderr == "done: 1 fact\n"
    assert note not in try_("--input", "Temp=temp.csv", "--format", "table").stderr


def test_on_a_terminal_lines_that_are_too_long_go_on_further_in() -> None:
    said = io.StringIO()
    console = Console(file=said, width=40, force_terminal=True, color_system=None)
    row = {
        "tick": 0, "change": "possible", "X": "wt2", "T": 0, "because": None, "decided_by": 2,
        "explanations": [], "if_silent": {"change": "rejected", "tick": 2},
    }  # fmt: skip
    relation = antelog_library.parse(PROGRAM).plan.relation("Malf")
    table = pa.Table.from_pylist([row])
    print_changes([relation], StepResult(0, {"Malf": table}), listing(console, None, None))
    assert [line.rstrip() for line in said.getvalue().splitlines()] == [
        "tick 0",
        "  possible   Malf  X = wt2, T = 0",
        "               rejected at 2 if nothing",
        "               comes, decided by 2",
    ]


def test_words_stand_in_place_of_the_atom() -> None:
    query = 'query Malf(X, T) critical "turbine {X} is about to shut down".'
    Path("worded.alog").write_text(PROGRAM.replace("query Malf(X, T).", query), encoding="utf-8")
    done = antelog("try", "worded.alog", "--input", "Temp=temp.csv", "--format", "table")
    assert done.stdout.startswith(
        "tick 0\n  possible   turbine wt2 is about to shut down   Malf  T = 0   rejected at 2 if"
    )
    said = io.StringIO()
    engine = antelog_library.Engine(antelog_library.load("worded.alog"))
    tables = engine.advance(2, {"Temp": [("wt2", "high", 0), ("wt2", "high", 1)]})
    console = Console(file=said, force_terminal=True, width=200, color_system="standard")
    print_changes(list(engine.plan.queries), StepResult(2, tables), listing(console, None, None))
    assert "\x1b[1;31m  confirmed  \x1b[0m" in said.getvalue()  # in the colour of what is critical


def test_conditions_on_open_times_have_no_ticks_beside_the_clock() -> None:
    Path("p.alog").write_text(
        "tick 10 seconds. input Alarm(id, time) delay 1 minute. input Ack(id, time). query Quick(A, T).\n"
        "Quick(A, T) :- Alarm(A, T), Ack(A, S), S >= T, S <= T + 2 minutes."
    )
    Path("ack.csv").write_text("id,time\na1,2024-03-04 18:00:20\n")
    arguments = ("--input", "Ack=ack.csv")
    assert "where 18:00:20 >= T, 17:58:20 <= T\n" in try_(*arguments, "--format", "table").stdout
    assert "T+12" in try_(*arguments).stdout
