"""What nobody could see in every view of recorded facts: listings, why, pictures, notebooks, tests, diff."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

import antelog as product
from antelog.engine.step.wording import meaning, unseen_since
from antelog.pictures.history import changes_in, history
from tests.cli.trying import antelog, try_
from tests.lines import Fact, lines_of
from tests.watch.test_lost import FIRST, PROGRAM

FACTS: list[Fact] = [("Temp", (d, level, int(t)), int(t)) for d, level, t in (r.split(",") for r in FIRST)]
INPUT = ("--input", "Temp=temp.csv")
CHANCES = """\
input Temp(device, level, time) delay 2 (70%, 20%, 10%), one per device, every 1.
chance Temp(_, high, _) = 5%, again 80%.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Malf(X, T) alert 75%.
"""
FILES = {"p.alog": PROGRAM, "temp.csv": "\n".join(["device,level,time", *FIRST, ""])}
pytestmark = pytest.mark.usefixtures("files")


def test_lines_say_what_was_lost_and_what_they_mean() -> None:
    lines = [each for each in lines_of(PROGRAM, FACTS, 9) if "lost" in each]
    said = {(each["query"], each["change"], each["answer"]["X"]): each["lost"] for each in lines}
    assert said["Malf", "rejected", "a"] == ["Temp(a, high, 2)"]
    assert said["Well", "confirmed", "c"] == ["not Temp(c, high, 2)"]
    assert {meaning(each) for each in lines} == {"lost"}
    assert {unseen_since(each) for each in lines if each["answer"]["X"] != "b"} == {2}
    assert not any("lost" in each for each in lines_of(PROGRAM.replace(", every 1", ""), FACTS, 9))
    bad = lines_of(PROGRAM.replace(" good", ""), FACTS, 9)
    assert {meaning(each) for each in bad if "lost" in each} == {"confirmed", "lost"}


def test_try_lists_it_as_lost_and_counts_it_apart() -> None:
    done = try_(*INPUT, "--format", "table", "--until", 6)
    assert "  lost       a is about to shut down   Malf  T = 1\n" in done.stdout
    assert "lost from sight ? Temp(a, high, 2)" in done.stdout
    assert re.search(r"(?ms)confirmed +rejected +lost +open .*^Malf +0 +0 +1 +0 ", done.stderr)
    shots = [json.loads(line) for line in try_(*INPUT, "--snapshots", "--until", 6).stdout.splitlines()]
    assert ["not Temp(c, high, 2)"] in [each.get("lost") for shot in shots for each in shot["answers"]]


def test_why_says_so() -> None:
    lost = ", but it is lost from sight: nothing was seen that decides it"
    found = [
        antelog("why", "p.alog", atom, *INPUT).stdout for atom in ("Malf(a, 1)", "Well(c, 1)", "Well(b, 1)")
    ]
    ends = (f"rejected since tick 3{lost}", f"confirmed since tick 3{lost}", "confirmed since tick 2")
    assert [each.splitlines()[0].endswith(end) for each, end in zip(found, ends, strict=True)] == [True] * 3


def test_pictures_and_notebooks_show_it() -> None:
    lines = lines_of(PROGRAM, FACTS, 6)
    counts = Counter(each.outcome for each in history(changes_in(lines)).answers)
    assert counts == Counter(lost=2, confirmed=7, rejected=1, open=1)
    assert "lost from sight ?&nbsp;<code>Temp(a, high, 2)</code>" in product.show(lines)._repr_html_()
    assert antelog("draw", "p.alog", *INPUT, "--output", "o.svg").exit_code == 0
    assert "lost" in Path("o.svg").read_text(encoding="utf-8")


def test_tests_of_rules_record_it_and_ask_for_it() -> None:
    Path("p.test.yaml").write_text("cases:\n- name: a falls silent\n  facts:\n  - Temp: temp.csv\n")
    assert (antelog("test", "--record").exit_code, antelog("test").exit_code) == (0, 0)
    written = Path("p.test.yaml").read_text()
    wanted = "    - Malf(a, 1):\n        lost:\n        - Temp(a, high, 2)\n        - nothing else\n"
    assert wanted in written
    Path("p.test.yaml").write_text(written.replace(wanted, wanted.replace("high, 2", "high, 3")))
    done = antelog("test")
    assert (done.exit_code, "lost Temp(a, high, 3)     lost Temp(a, high, 2)" in done.stdout) == (1, True)


def test_diff_compares_it() -> None:
    Path("new.alog").write_text(PROGRAM.replace("every 1", "every 4"), encoding="utf-8")
    said = antelog("diff", "p.alog", "new.alog", *INPUT).stdout
    assert "? Well(c, 1)  confirmed at 3, and lost from sight by the old rules" in said


def test_an_alert_that_passes_for_silence_is_lost_however_a_run_is_cut() -> None:
    rows = [*((x, "high", 0, 0) for x in "abc"), ("b", "low", 2, 2), ("c", "low", 1, 1)]
    found = []
    for ends in ([9], range(10)):
        engine, lines = product.Engine(product.parse(CHANCES)), []
        for end in ends:
            new = [row for row in rows if engine.now < row[-1] <= end]
            lines += engine.advance(end, {"Temp": new})["Malf"].to_pylist()
        found.append([(row["tick"], row["change"], row["X"], row["lost"]) for row in lines])
    assert found[0] == found[1]
    assert (1, "unlikely", "a", ["Temp(a, high, 1)"]) in found[0]
    assert (1, "rejected", "c", None) in found[0]  # its reading said otherwise


def test_nothing_is_learned_or_scored_of_it() -> None:
    facts = [(d, "high", t) for d in "abcd" for t in range(0, 40, 2)]
    facts += [(d, "low", t) for d in "ab" for t in range(1, 40, 2)]
    engine = product.Engine(product.parse(CHANCES), model="learn")
    table = engine.advance(60, {"Temp": facts})["Malf"]
    lost = sum(row["lost"] is not None and row["change"] == "rejected" for row in table.to_pylist())
    ended = sum(row["change"] in ("confirmed", "rejected") for row in table.to_pylist())
    assert (lost, engine.scores().to_pylist()[0]["answers"]) == (78, ended - 78)
