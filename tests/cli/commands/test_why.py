"""Tests of antelog/cli/commands/why.py: trees and JSON of recorded facts, with files and lines."""

import json
from pathlib import Path

from click.testing import Result

from tests.cli.trying import antelog

RULES = """
tick 10 minutes.
input Temp(device, level, time) delay 10 minutes.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Malf(X, T).
"""
ROWS = """device,level,time,arrival
wt2,high,2026-03-30 02:00,2026-03-30 02:00
wt2,high,2026-03-30 02:10,2026-03-30 02:20
wt4,high,2026-03-30 02:00,2026-03-30 02:00
wt4,high,2026-03-30 02:10,2026-03-30 02:40
"""


def run(folder: Path, *arguments: str) -> Result:
    (folder / "rules.alog").write_text(RULES)
    (folder / "temp.csv").write_text(ROWS)
    return antelog("why", folder / "rules.alog", *arguments, "--input", f"Temp={folder / 'temp.csv'}")


def test_facts_have_files_and_lines_and_times(tmp_path: Path) -> None:
    done = run(tmp_path, 'Malf(wt2, "2026-03-30 02:00")')
    assert done.exit_code == 0, done.output
    assert "Malf(wt2, 2026-03-30 02:00) is confirmed since 2026-03-30 02:20" in done.stdout
    assert (
        f"Temp(wt2, high, 2026-03-30 02:10)   arrived at 2026-03-30 02:20, {tmp_path}/temp.csv:3"
        in done.stdout
    )
    done = run(tmp_path, "Malf(wt4, 2026-03-30 02:00)")
    assert "late, set aside: arrived at 2026-03-30 02:40" in done.stdout
    assert f"{tmp_path}/temp.csv:5" in done.stdout


def test_an_earlier_tick_knows_nothing_of_later_facts(tmp_path: Path) -> None:
    done = run(tmp_path, "Malf(wt2, 2026-03-30 02:00)", "--at", "2026-03-30 02:10")
    assert "Malf(wt2, 2026-03-30 02:00) is open" in done.stdout
    assert "○ Temp(wt2, high, 2026-03-30 02:10)   may come until 2026-03-30 02:20" in done.stdout


def test_json_has_ticks_and_times(tmp_path: Path) -> None:
    done = run(tmp_path, "Malf(wt2, 2026-03-30 02:00)", "--format", "json")
    found = json.loads(done.stdout)
    assert found["status"] == "confirmed"
    fact = found["rules"][0]["literals"][0]["facts"][0]
    assert fact["place"] == f"{tmp_path}/temp.csv:2"
    assert fact["arrival_time"] == "2026-03-30T02:00:00+00:00"


def test_a_wrong_tick_is_a_mistake_of_the_command_line(tmp_path: Path) -> None:
    done = run(tmp_path, "Malf(wt2, 0)", "--at", "nope")
    assert done.exit_code == 2
    assert "Invalid value for --at: the tick `nope` is not a whole number or a timestamp" in done.stderr


def test_a_wrong_atom_ends_in_words(tmp_path: Path) -> None:
    for atom, said in (("Mal(wt2, 0)", "Did you mean Malf?"), ("Malf(wt2", "ends too early")):
        done = run(tmp_path, atom)
        assert done.exit_code == 1
        assert said in done.stderr
