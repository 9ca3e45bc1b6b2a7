"""antelog/cli/show/listing.py: chances in lines and in listings."""

import json
from pathlib import Path
from typing import Any

import pytest

from antelog.cli.show.listing import chance_line
from antelog.why.tree import Signs
from tests.cli.forecasting import PROGRAM, readings
from tests.cli.trying import antelog

HOT = "chance Temp(_, high, _) = 10%, again 80%.\n"
FILES = {
    "p.alog": PROGRAM + HOT,
    "plain.alog": PROGRAM,
    "temp.csv": "device,level,time\na,high,0\na,high,1\nb,high,1\n",
}
pytestmark = pytest.mark.usefixtures("files")


def lines(*arguments: str) -> list[dict[str, Any]]:
    done = antelog("try", "p.alog", "--input", "Temp=temp.csv", *arguments)
    assert done.exit_code == 0
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_lines_of_open_answers_have_chances() -> None:
    for line in lines():
        is_open = line["change"] not in ("confirmed", "rejected")
        assert ("chance" in line, "forecast" in line, "chance_from" in line) == (is_open,) * 3
        assert "holds" not in line
    first = lines("--until", "0")[0]
    assert first["chance"] == pytest.approx(0.64)
    assert first["forecast"] == [[2, pytest.approx(0.32)], [3, pytest.approx(0.64)]]
    assert first["chance_from"] == "model"


def test_nothing_is_said_without_a_model() -> None:
    done = antelog("try", "plain.alog", "--input", "Temp=temp.csv")
    assert "chance" not in done.stdout


def test_what_is_not_known_is_null() -> None:
    done = antelog("try", "plain.alog", "--input", "Temp=temp.csv", "--model", "learn", "--until", "0")
    (line,) = map(json.loads, done.stdout.splitlines())
    assert (line["chance"], line["forecast"], line["chance_from"]) == (None, None, None)


def test_facts_that_may_be_lost() -> None:
    lossy = PROGRAM.replace("delay 1.", "delay 1 (60%, 30%).")
    Path("p.alog").write_text(lossy + HOT, encoding="utf-8")
    found = lines()
    assert all(0 <= line["holds"] <= 1 for line in found)
    assert {line["change"] for line in found} >= {"rejected"}


def test_alerts_and_lines_that_are_left_out() -> None:
    Path("many.csv").write_text(readings(), encoding="utf-8")
    alerts = ("--only", "likely,unlikely", "--format", "table")
    many = antelog("try", "p.alog", "--input", "Temp=many.csv", *alerts)
    assert "its chance has reached 50 %\n" in many.stdout
    assert "its chance has fallen below 40 %\n" in many.stdout
    done = antelog("try", "p.alog", "--input", "Temp=temp.csv", "--min-chance", "0.9", "--until", "0")
    (line,) = map(json.loads, done.stdout.splitlines())
    assert line["change"] == "likely"
    assert "note: 1 line of Malf was left out; on average 0.64 of them" in done.stderr


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (PROGRAM, "there are no chances; give a --model, or --model learn"),
        (PROGRAM.replace(" alert 50%", ""), "no query has an `alert`"),
    ],
)
def test_it_is_said_why_nothing_can_be_likely(program: str, message: str) -> None:
    Path("p.alog").write_text(program, encoding="utf-8")
    done = antelog("try", "p.alog", "--input", "Temp=temp.csv", "--only", "likely")
    assert (done.exit_code, done.stdout) == (0, "")
    assert message in done.stderr


def test_a_listing_has_bars_and_says_why_an_answer_is_likely() -> None:
    done = antelog("try", "p.alog", "--input", "Temp=temp.csv", "--format", "table")
    assert "             ▰▰▰▰▰▰▱▱▱▱  64 %   32 % by 2, 64 % by 3\n" in done.stdout
    assert "  likely     Malf  X = a, T = 0   its chance has reached 50 %\n" in done.stdout


def test_snapshots_have_the_likeliest_first() -> None:
    Path("temp.csv").write_text(readings(), encoding="utf-8")
    done = antelog(
        "try", "p.alog", "--input", "Temp=temp.csv", "--format", "table", "--snapshots", "--until", "80"
    )
    for block in done.stdout.split("\n\n"):
        kinds = [line.split()[0] for line in block.splitlines() if line.startswith("  ") and line[2] != " "]
        bars = [line.count("▰") for line in block.splitlines() if "▱" in line or "▰" in line]
        assert kinds == sorted(kinds), "confirmed ones stand before open ones"
        assert bars == sorted(bars, reverse=True)


def test_a_forecast_in_words() -> None:
    def said(chance: float | None, *forecast: tuple[int, float]) -> str | None:
        points = [{"tick": tick, "chance": each} for tick, each in forecast]
        line = chance_line({"chance": chance, "forecast": points}, Signs(), str)
        return None if line is None else line.plain.split("  ", 1)[1].strip()

    assert said(None) is None
    assert said(0.35, (4, 0.35)) == "35 %   by 4"
    assert said(0.35, (4, 0.11), (5, 0.35)) == "35 %   11 % by 4, 35 % by 5"
    assert said(0.5, (4, 0.1), (5, 0.2), (6, 0.3), (7, 0.5)) == "50 %   10 % by 4, 20 % by 5, … 50 % by 7"
    assert said(0.0) == "0 %"
