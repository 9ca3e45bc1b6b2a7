"""antelog/run/sinks/{json_lines,result}.py: answers and rejects as text."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from antelog import Engine, parse
from antelog.language.printer import value_text
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult, reject_of
from tests.cli.trying import try_


@pytest.mark.usefixtures("here")
def test_explanations() -> None:
    Path("p.alog").write_text(
        "input P(x, time) delay 3.\n"
        "A(X, T) :- P(X, T), P(X, T+1).\n"
        "A(X, T) :- P(X, T), P(X, T+2), P(X, T+3).\n"
        "query A(X, T).\n",
        encoding="utf-8",
    )
    Path("p.csv").write_text("x,time\na,0\n", encoding="utf-8")
    every, one, none = (
        json.loads(try_("--input", "P=p.csv", "--until", 0, *more).stdout)
        for more in ((), ("--explanations", 1), ("--explanations", 0))
    )
    assert [len(e["hypotheses"]) for e in every["explanations"]] == [1, 2]
    assert "more" not in every
    assert one["explanations"] == every["explanations"][:1]
    assert list(one) == [*list(every)[:5], "more", *list(every)[5:]]
    assert one["more"] == 1
    assert none == {name: value for name, value in every.items() if name != "explanations"}
    assert try_("--input", "P=p.csv", "--until", 0, "--explanations", 2).stdout == json.dumps(every) + "\n"


@pytest.mark.usefixtures("here")
def test_numbers_are_short_and_texts_are_whole() -> None:
    Path("p.alog").write_text("A(X, V, T) :- P(X, V, T), V >= 1.\nquery A(X, V, T).\n", encoding="utf-8")
    Path("p.csv").write_text('x,v,time\n"say ""ä""",91.0,0\nb,1.5,0\n', encoding="utf-8")
    found = [json.loads(line) for line in try_("--input", "P=p.csv").stdout.splitlines()]
    assert [line["answer"] for line in found] == [
        {"X": "b", "V": 1.5, "T": 0},
        {"X": 'say "ä"', "V": 91, "T": 0},
    ]
    assert '"V": 91,' in try_("--input", "P=p.csv").stdout
    assert found[1]["explanations"][0]["evidence"] == ['P("say \\"ä\\"", 91, 0)']


@pytest.mark.usefixtures("here")
def test_numbers_and_texts_in_one_column() -> None:
    Path("p.alog").write_text("A(X, T) :- P(X, T).\nquery A(X, T).\n", encoding="utf-8")
    Path("p.csv").write_text("x,time\nwt1,0\n7,0\n8,1\n7,2\nn/a,2\n", encoding="utf-8")

    def evidence(lines: list[dict[str, Any]]) -> list[tuple[int, list[str]]]:
        return sorted((line["tick"], line["explanations"][0]["evidence"]) for line in lines)

    changes = [json.loads(line) for line in try_("--input", "P=p.csv").stdout.splitlines()]
    shots = [json.loads(line) for line in try_("--input", "P=p.csv", "--snapshots").stdout.splitlines()]
    answers = [{"tick": shot["tick"], **answer} for shot in shots for answer in shot["answers"]]
    want = [(0, "P(7, 0)"), (0, "P(wt1, 0)"), (1, "P(8, 1)"), (2, 'P("n/a", 2)'), (2, "P(7, 2)")]
    assert evidence(changes) == evidence(answers) == [(tick, [text]) for tick, text in want]


CALM = """input Alarm(x, time) delay 1.
Calm(X, T) :- not Alarm(X, T).
query Calm(X, T).
"""


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("rows", "seen"), [("wt2,0\n", ["wt2"]), ("n/a,0\n3,0\n", [3, "n/a"])])
def test_all_others(rows: str, seen: list[str | int]) -> None:
    Path("p.alog").write_text(CALM, encoding="utf-8")
    Path("Alarm.csv").write_text(f"x,time\n{rows}", encoding="utf-8")
    given = ("--input", "Alarm=Alarm.csv", "--until", "1")
    lines = [json.loads(line) for line in try_(*given).stdout.splitlines()]
    at_1 = [each for each in lines if each["tick"] == 1 and each["answer"]["T"] == 1]
    assert [(each["change"], each["answer"]["X"], each.get("others")) for each in at_1] == [
        *(("possible", value, None) for value in seen),
        ("possible", None, ["X"]),
    ]
    *_, line = try_(*given, "--snapshots").stdout.splitlines()
    assert [each["answer"]["X"] for each in json.loads(line)["answers"] if "others" not in each] == seen
    listed = try_(*given, "--snapshots", "--format", "table").stdout
    assert "Calm  X = all others, T = 1   confirmed at 2 if nothing comes, decided by 2\n" in listed
    for value in seen:
        assert f"Calm  X = {value_text(value)}, T = 1   confirmed at 2" in listed


def test_a_row_that_the_engine_set_aside_has_the_place_it_comes_from() -> None:
    engine = Engine(parse("input P(x, time) delay 1.\nQ(X, T) :- P(X, T).\nquery Q(X, T)."))
    rows = pa.table({"x": ["a", "it's"], "time": [9, 2], "arrival": [9, 9]})
    engine.advance(9, {"P": rows})
    (row,) = engine.last_rejects.to_pylist()
    found = reject_of(row, "p.csv", 7, None)
    assert row["row"] == 1
    assert str(found) == "p.csv:7: arrived at tick 9, 6 ticks after its deadline"
    assert (found.predicate, found.reason, found.row) == ("P", "late", 'P("it\'s", 2)')


@pytest.mark.usefixtures("here")
def test_each_tick_has_its_time_beside_it() -> None:
    Path("p.alog").write_text(
        "tick 10 minutes.\ninput P(x, time) delay 3.\nA(X, T) :- P(X, T), not P(X, T+1).\nquery A(X, T).\n",
        encoding="utf-8",
    )
    Path("p.csv").write_text("x,time\na,2026-03-30 02:50\n", encoding="utf-8")
    first = json.loads(try_("--input", "P=p.csv").stdout.splitlines()[0])
    assert list(first)[:2] == ["tick", "time"]
    assert first["time"] == "2026-03-30T02:50:00+00:00"
    assert first["answer"] == {"X": "a", "T": first["tick"]}
    assert first["times"] == {"T": "2026-03-30T02:50:00+00:00"}
    assert first["if_silent"] == {
        "change": "confirmed",
        "tick": first["tick"] + 4,
        "time": "2026-03-30T03:30:00+00:00",
    }
    assert first["decided_by_time"] == "2026-03-30T03:30:00+00:00"
    assert "decided_by_time" not in json.loads(try_("--input", "P=p.csv").stdout.splitlines()[-1])
    shot = json.loads(try_("--input", "P=p.csv", "--snapshots").stdout.splitlines()[0])
    assert shot["time"] == first["time"]
    assert shot["answers"][0].items() <= first.items()


@pytest.mark.usefixtures("here")
def test_ticks_counted_from_0_and_parts_of_a_second() -> None:
    Path("p.alog").write_text("tick 500 ms.\nA(T) :- P(T).\nquery A(T).\n", encoding="utf-8")
    Path("p.csv").write_text("time\n3\n", encoding="utf-8")
    (line,) = map(json.loads, try_("--input", "P=p.csv").stdout.splitlines())
    assert list(line) == ["tick", "change", "query", "answer", "explanations"]
    Path("p.csv").write_text("time\n2026-03-30 02:50:00.7\n2026-03-30 02:50:01\n", encoding="utf-8")
    lines = [json.loads(line) for line in try_("--input", "P=p.csv").stdout.splitlines()]
    assert [line["times"]["T"] for line in lines] == [
        "2026-03-30T02:50:00.500000+00:00",
        "2026-03-30T02:50:01+00:00",
    ]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (True, True),
        ("true", "true"),
        ("1", "1"),
        (1, 1),
        (10**20, 1e20),
        (-(2**63), -(2**63)),
        (dt.date(2024, 2, 29), "2024-02-29"),
        (dt.time(1, 2, 3), "01:02:03"),
        (dt.datetime(2024, 2, 29, 1, 2, 3), "2024-02-29T01:02:03"),  # noqa: DTZ001 - without a zone
        (dt.datetime(2024, 2, 29, 1, 2, 3, 4, dt.UTC), "2024-02-29T01:02:03.000004+00:00"),
        (dt.timedelta(seconds=5), "5 seconds"),
        (b"\xff", "ff"),
    ],
)
def test_an_answer_is_written_alike_before_and_after_its_column_has_values_of_several_kinds(
    value: object, written: object
) -> None:
    program = parse("input P(x, time).\nQ(X, T) :- P(X, T), P(X, T+1).\nquery Q(X, T).")
    engine, found = Engine(program), []
    for tick, rows in enumerate([[(value, 0)], [(value, 1), ("a", 1), (False, 1), (7, 1)]]):
        step = StepResult(tick, engine.advance(tick, {"P": rows}))
        found += change_lines(list(program.plan.queries), step, Style()).splitlines()
    about = [each for each in found if f'"answer": {{"X": {json.dumps(written)}, "T": 0}}' in each]
    assert [json.loads(each)["change"] for each in about] == ["possible", "confirmed"]
    assert about == [each for each in found if json.loads(each)["answer"]["T"] == 0]
