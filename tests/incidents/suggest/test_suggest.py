"""antelog/incidents/suggest/: rules that incidents have in common, as a program that does what it says."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
import yaml

import antelog
from antelog.incidents.judging import Lead
from antelog.incidents.suggest.declaring import declared, used_only
from antelog.incidents.suggest.measures import windows_of
from antelog.incidents.suggest.proposals import by_chance
from antelog.incidents.suggest.search import roundest
from antelog.incidents.suggest.searched_part import FoundRule
from benchmarks.incidents.planted import KINDS, PAIRS, SINGLES, found, planted
from tests.cli.trying import antelog as invoke

pytestmark = pytest.mark.filterwarnings("ignore::antelog.DataWarning")

SHORT = [("presence",), ("change",), ("not", "avg"), ("count", "under"), ("over", "hour")]
ALL = [case for case in [*((each,) for each in SINGLES), *PAIRS] if case not in SHORT]


@pytest.mark.parametrize(
    "kinds", [*SHORT, *(pytest.param(e, marks=pytest.mark.long) for e in ALL)], ids="+".join
)
def test_planted_rules_are_found(kinds: tuple[str, ...]) -> None:
    seeds = (1, 2) if kinds in SHORT else (1, 2, 3)
    assert any(found(planted(kinds, seed)).right for seed in seeds)


def test_nothing_is_proposed_where_incidents_are_at_random() -> None:
    proposed = [bool(found(planted((kind,), 1000, moved=True)).proposals) for kind in list(KINDS)[3:6]]
    assert sum(proposed) <= 1


# ---- a small world for what is written ----


def world(seed: int = 1, *, spikes: int = 12) -> tuple[pa.Table, list[dict[str, Any]]]:
    """Readings of three devices, and an incident some hours after each spike."""
    chance = random.Random(seed)
    values = {device: [50 + chance.gauss(0, 3) for _ in range(600)] for device in "abc"}
    incidents = list[dict[str, Any]]()
    for number in range(spikes):
        device, hour = "abc"[number % 3], 40 + 45 * number + chance.randrange(8)
        values[device][hour] = 80 + chance.random() * 10
        incidents.append({"device": device, "time": hour + chance.randrange(2, 10)})
    rows = [(device, hour, values[device][hour]) for hour in range(600) for device in "abc"]
    names, hours, measured = zip(*rows, strict=True)
    return pa.table({"device": names, "value": np.round(measured, 2), "time": hours}), incidents


def suggested(table: pa.Table, incidents: object, **more: Any) -> antelog.Suggestion:
    given = {"lead": "1..24", "false_alarms": 10, **more}
    return antelog.suggest({"Vib": table}, incidents, **given)


def test_the_program_has_limits_words_figures_and_tests_that_hold() -> None:
    table, incidents = world()
    result = suggested(table, incidents)
    program = antelog.parse(result.text)
    assert not program.warnings
    [rule] = result.rules.to_pylist()
    assert rule["text"] == "VibHigh(X, T) :- Vib(X, V, T), V > vib_limit."
    assert 'query VibHigh(X, T) critical "{X}: value of Vib above ' in result.text
    assert "% unseen: caught 1" in result.text
    judged = antelog.backtest(program, {"Vib": table}, incidents, lead="1..24").queries.to_pylist()[-1]
    assert (judged["caught"], judged["incidents"]) == (rule["caught"], rule["incidents"])
    assert rule["caught"] >= 11
    [case] = yaml.safe_load(result.tests)["cases"]
    assert case["expect"][0]["confirmed"].startswith("VibHigh(")


def test_chance_proposes_nothing() -> None:
    table, incidents = world()
    chance = random.Random(5)
    moved = [{**each, "time": chance.randrange(30, 580)} for each in incidents]
    result = suggested(table, moved)
    assert not result.text
    assert "no rule is proposed" in str(result)


def test_without_a_key_rules_have_none() -> None:
    table, incidents = world()
    alone = table.filter(pa.compute.equal(table["device"], "a")).drop_columns(["device"])
    own = [{"time": each["time"]} for each in incidents if each["device"] == "a"]
    assert "VibHigh(T) :- Vib(V, T), V > vib_limit." in suggested(alone, own).text


def _hours(table: pa.Table) -> pa.Table:
    """The table with timestamps, and a name that no program can have."""
    times = np.datetime64("2026-03-01T00:00:00") + table["time"].to_numpy().astype("timedelta64[h]")
    return pa.table({"device": table["device"], "Vib (mm/s)": table["value"], "time": times})


def _json_lines(table: pa.Table, path: Path) -> None:
    rows = [
        f'{{"device":"{row["device"]}","Vib (mm/s)":{row["Vib (mm/s)"]},"time":"{row["time"]}"}}'
        for row in table.to_pylist()
    ]
    path.write_text("\n".join(rows) + "\n")


WRITERS: dict[str, Callable[[pa.Table, Path], None]] = {
    "csv": pc.write_csv,
    "parquet": pq.write_table,
    "jsonl": _json_lines,
}


@pytest.fixture(params=WRITERS)
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Sequence[str]:
    """The arguments for readings in a form, and incidents beside them."""
    table, incidents = world()
    readings = tmp_path / f"vib.{request.param}"
    WRITERS[request.param](_hours(table), readings)
    start = np.datetime64("2026-03-01T00:00:00")
    lines = [f"{each['device']},{start + np.timedelta64(each['time'], 'h')}" for each in incidents]
    failures = tmp_path / "failures.csv"
    failures.write_text("device,time\n" + "\n".join(lines) + "\n")
    return ["--input", f"Vib={readings}", "-i", str(failures), "--lead", "1h..24h"]


def test_the_command_writes_what_check_test_and_backtest_accept(files: Sequence[str], tmp_path: Path) -> None:
    output = tmp_path / "rules.alog"
    wanted = ["--false-alarms", "0.5/day", "-o", str(output)]
    done = invoke("suggest", *files, *wanted)
    assert done.exit_code == 0, done.output
    text = output.read_text()
    assert "tick 1 hour." in text
    assert "--map 'Vib.vib_mm_s=Vib (mm/s)'" in text
    assert "warning" not in invoke("check", str(output)).output.replace(" warning ", "")
    assert "1 case: 1 passed" in invoke("test", str(output)).output
    judged = invoke("backtest", str(output), *files, "--map", "Vib.vib_mm_s=Vib (mm/s)")
    assert "VibMmSHigh" in judged.output or "VibHigh" in judged.output, judged.output
    again = invoke("suggest", *files, *wanted)
    assert again.exit_code == 1
    assert "is there already" in again.output
    assert output.read_text() == text


# ---- programs that are there ----

IMPROVED = """input Vib(device: text, value: number, time) delay 0, one per device.
input Work(device: text, time) delay 0.
limit high = {limit}.
High(X, T) :- Vib(X, V, T), V > high.
query High(X, T).
"""


def test_a_limit_is_tuned() -> None:
    table, incidents = world()
    program = antelog.parse(IMPROVED.format(limit=57))
    result = suggested(table, incidents, program=program)
    [change] = result.rules.to_pylist()
    assert change["rule"] == "high"
    assert "with 57" in change["limits"]
    assert next(antelog.parse(result.text).document.limits).value > 60


def test_versions_of_a_program_read_files_in_the_same_way() -> None:
    table, incidents = world()
    form = "%H-%M %d/%m/%y"

    def written(hours: Sequence[int]) -> list[str]:
        return [(datetime(2026, 3, 1, tzinfo=UTC) + timedelta(hours=each)).strftime(form) for each in hours]

    facts = table.set_column(2, "time", pa.array(written(table["time"].to_pylist())))
    times = written([each["time"] for each in incidents])
    failures = [each | {"time": time} for each, time in zip(incidents, times, strict=True)]
    program = antelog.parse(f"tick 1 hour.\n{IMPROVED.format(limit=57)}")
    result = antelog.suggest(
        {"Vib": facts}, failures, lead="1h..24h", false_alarms=50, program=program, time_formats={"Vib": form}
    )
    assert result.rules["rule"].to_pylist()[0] == "high"


AHEAD = "High(X, T) :- Vib(X, V, T), V > high."
BEHIND = "Vib(X, V, T), V > high -> High(X, T)."


@pytest.mark.parametrize("head_is_last", [False, True])
def test_an_exception_is_found(head_is_last: bool) -> None:
    table, incidents = world()
    chance = random.Random(3)
    values = table["value"].to_pylist()
    work = list[tuple[str, int]]()
    for _ in range(30):  # somebody works beside it, and it shakes
        at = chance.randrange(100, len(values) - 100)
        device, hour = table["device"][at].as_py(), table["time"][at].as_py()
        if all(each["device"] != device or not -40 < each["time"] - hour < 40 for each in incidents):
            values[at] = 85.0
            work.append((device, hour))
    table = table.set_column(1, "value", pa.array(values))
    text = IMPROVED.format(limit=70)
    program = antelog.parse(text.replace(AHEAD, BEHIND) if head_is_last else text)
    inputs = {"Vib": table, "Work": work}
    result = antelog.suggest(inputs, incidents, lead="1..24", false_alarms=50, program=program)
    [change] = [each for each in result.rules.to_pylist() if each["rule"] == "High"]
    assert ("-> High(X, T)." if head_is_last else "High(X, T) :- ") in change["text"]
    assert "Vib(X, V, T), V > high, not Work(X, " in change["text"]
    before, after = (
        antelog.backtest(each, inputs, incidents, lead="1..24").queries.to_pylist()[-1]
        for each in (program, antelog.parse(result.text))
    )
    assert after["caught"] == before["caught"]
    assert after["false"] < before["false"]


def test_each_limit_is_tuned_in_the_text_that_the_one_before_has_left() -> None:
    """What follows on a line stays a part of the program, and a comment behind a limit stays one."""
    table, incidents = world()
    text = IMPROVED.replace("limit high = {limit}.", "limit high = 57. limit least = 58.  % both guessed")
    text = text.replace("V > high.", "V > high, V > least.")
    result = suggested(table, incidents, program=antelog.parse(text))
    named = {each["rule"]: each["text"] for each in result.rules.to_pylist()}
    found = {each.name: each.value for each in antelog.parse(result.text).document.limits}
    assert named
    assert max(found.values()) > 60
    for name, line in named.items():
        assert line == f"limit {name} = {found[name]:g}."
    assert "% both guessed" in result.text


def test_a_program_that_is_good_stays_as_it_is() -> None:
    table, incidents = world()
    result = suggested(table, incidents, program=antelog.parse(IMPROVED.format(limit=70)))
    assert not result.text
    assert "nothing is changed" in str(result)


# ---- what is wrong ----


@pytest.mark.parametrize(
    ("inputs", "incidents", "more", "said"),
    [
        ({}, [{"device": "a", "time": 5}], {}, "there are no facts"),
        ({"vib": "table"}, [{"device": "a", "time": 5}], {}, "begin with a capital letter"),
        ({"Vib": "table"}, [{"device": "z", "time": 300}], {}, "no incident is of a key that facts have"),
        ({"Vib": "table"}, [], {}, "incident"),
        ({"Vib": "table"}, [{"device": "a", "time": 5}], {"lead": "5..1"}, "holds no tick"),
        ({"Vib": "table"}, [{"device": "a", "time": 5}], {"key": "machine"}, "column machine"),
        ({"Vib": [("a", 5.0, 1)]}, [{"device": "a", "time": 5}], {}, "tuples have no names"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    inputs: dict[str, Any], incidents: list[dict[str, Any]], more: dict[str, Any], said: str
) -> None:
    table, _ = world()
    given = {name: table if each == "table" else each for name, each in inputs.items()}
    with pytest.raises(antelog.DataError) as error:
        antelog.suggest(given, incidents, **{"lead": "1..24", **more})
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_folder_is_read_without_what_is_no_file_of_facts(tmp_path: Path) -> None:
    table, _ = world()
    pc.write_csv(table, tmp_path / "vib.csv")
    (tmp_path / ".hidden.csv").write_text("nothing\n")
    (tmp_path / "README").write_text("about them\n")
    (tmp_path.parent / "failures.csv").write_text("device,time\na,5\n")
    text, maps = declared({"Vib": tmp_path}, None, tmp_path.parent / "failures.csv")
    assert text == "input Vib(device: text, value: number, time) delay 0, one per device."
    assert not maps


def test_inputs_that_no_rule_uses_are_not_declared() -> None:
    given = {"Vib": [{"device": "a", "time": 1, "a b": 2.0}], "Work": [{"device": "a", "time": 1}]}
    text, maps = declared(given, None, [{"device": "a", "time": 5}])
    assert maps == {"Vib.a_b": "a b"}
    assert "input Work(device: text, time)" in text
    assert "% a_b of Vib is the column 'a b'" in text
    assert used_only(text, "A(T) :- Work(X, T).") == text.splitlines()[-1]


def test_one_incident_proposes_nothing() -> None:
    table, incidents = world()
    assert not suggested(table, incidents[:1]).text


# ---- parts ----


def test_round_numbers_are_preferred() -> None:
    assert [roundest(47.31, 47.62), roundest(0.0031, 0.0044), roundest(5.0, 5.0)] == [47.5, 0.004, 5.0]
    assert roundest(19.9, 24.1) == 22  # and not 20, which is at the edge


def test_ranges_double_up_to_the_lead() -> None:
    assert windows_of(Lead(1, 24, 24)) == [1, 2, 3, 6, 12, 24]
    assert windows_of(Lead(0, 2, 2)) == [1, 2]


def test_what_chance_explains() -> None:
    found = FoundRule((), frozenset(), right=0, false=10, worth=0, incidents=10, days=1, chance=5)
    assert by_chance(found) == pytest.approx(1.0)
    assert by_chance(replace(found, right=10, false=0)) == pytest.approx(0.5**10)
