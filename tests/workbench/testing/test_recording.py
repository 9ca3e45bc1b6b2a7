"""antelog/workbench/testing/recording.py: what comes out is written down once, and marked."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from antelog.workbench.testing.recording import recorded, yaml_text
from antelog.workbench.testing.results import run_suite
from antelog.workbench.testing.suite import Suite, read_suite
from tests.docs.pages import ROOT
from tests.workbench.testing.suites import PROGRAM, said, suite, written

LAYOUT = """\
# Hot turbines
cases:

- name: one        # a comment
  facts:
    - Temp(wt2, high, 0)
    - Temp(wt2, high, 1)   # the second

# The other one
- name: two
  expect: []
  facts: Temp(wt4, high, 0) @ 1
"""


def rewritten(found: Suite) -> Suite:
    """The suite, after what comes out was recorded."""
    assert said(found) == ""
    path = Path(found.name)
    path.write_bytes(recorded(found).text.encode())
    return read_suite(path)


def test_what_is_recorded_is_met_and_recording_again_changes_nothing(tmp_path: Path) -> None:
    found = rewritten(suite(tmp_path, LAYOUT))
    result = run_suite(found)
    assert (result.fine, [each.recorded for each in result.cases]) == (True, [5, 4])
    text = Path(found.name).read_text("utf-8")
    assert recorded(found).text == text
    assert recorded(found).cases == 0
    for line in LAYOUT.splitlines():
        assert line.removesuffix(" []") in text


def test_facts_that_are_set_aside_are_recorded(tmp_path: Path) -> None:
    cases = "cases:\n- name: one\n  facts:\n  - Temp(wt2, high, 0) @ 7\n  - Temp(wt2, low, 5)\n"
    found = rewritten(suite(tmp_path, cases))
    assert "    set_aside:\n    - Temp(wt2, high, 0)\n" in Path(found.name).read_text("utf-8")
    assert run_suite(found).fine


def test_what_a_person_has_looked_at_stays(tmp_path: Path) -> None:
    found = rewritten(suite(tmp_path, LAYOUT))
    path = Path(found.name)
    first = path.read_text("utf-8").replace("    recorded: yes\n", "", 1)
    first = first.replace("if_silent: rejected at 2", "decided_by: 2", 1)
    path.write_text(first, "utf-8")
    assert recorded(read_suite(path)).text == first
    path.with_name("turbines.alog").write_text(PROGRAM.replace("delay 1", "delay 2"), "utf-8")
    again = recorded(read_suite(path))
    assert "decided_by: 2" in again.text
    assert again.cases == 2


def test_expectations_of_a_person_are_left_alone(tmp_path: Path) -> None:
    cases = "cases:\n- name: one\n  facts: Temp(wt2, high, 0)\n  expect:\n  - at: 0\n    open: Malf(wt2, 0)\n"
    assert recorded(suite(tmp_path, cases)).text == cases


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n# the end\n"])
def test_line_ends_stay_as_they_are(tmp_path: Path, newline: str, end: str) -> None:
    path = written(tmp_path, "")
    text = f"cases:\n- name: one\n  facts: Temp(wt2, high, 0){end}".replace("\n", newline)
    path.write_bytes(text.encode())
    found = rewritten(read_suite(path))
    content = path.read_bytes().decode()
    assert content.replace("\r\n", "").count("\r") == 0
    assert ("\r\n" in content) == (newline == "\r\n")
    assert content.count(newline) == content.count("\n")
    assert run_suite(found).fine
    assert end.strip() in content


@pytest.mark.parametrize(
    ("cases", "reason"),
    [
        ("cases:\n- {name: one, facts: ['Temp(wt2, high, 0)']}\n", "lines of their own"),
        (
            "cases:\n- name: one\n  facts:\n  - Temp(wt2, low, 0)\n  - Temp(wt2, low, 90)\n",
            "more than anybody reads",
        ),
        (
            "cases:\n- name: one\n  facts:\n  - Temp(wt2, low, 0)\n  - Temp(wt2, low, 90000000)\n",
            "ticks without",
        ),
    ],
)
def test_what_cannot_be_recorded_is_said(tmp_path: Path, cases: str, reason: str) -> None:
    found = recorded(suite(tmp_path, cases))
    assert found.text == cases
    assert reason in found.left_out[0]


@pytest.mark.parametrize("name", ["frost", "alarms", "machine", "relay", "leads", "heartbeats", "outbreak"])
def test_examples_can_be_recorded(tmp_path: Path, name: str) -> None:
    folder = ROOT / "examples" / name
    program = (folder / f"{name}.alog").read_text("utf-8")
    inputs = {
        "frost": {"Frost": "messages.csv"},
        "alarms": {"Alarm": "alarms.csv", "Ack": "acks.csv"},
        "machine": {"Reading": "readings.csv"},
        "relay": {"Got": "got.csv", "Sent": "sent.csv"},
        "leads": {"Popularity": "popularity.csv"},
        "heartbeats": {"Heard": "beats.csv"},
        "outbreak": {"Case": "cases.csv"},
    }[name]
    facts = "".join(f"  - {predicate}: {folder / file}\n" for predicate, file in inputs.items())
    found = rewritten(suite(tmp_path, f"cases:\n- name: all\n  facts:\n{facts}", program))
    result = run_suite(found)
    assert [each.summary for case in result.cases for each in case.failures] == []
    assert result.fine
    assert recorded(found).cases == 0


@given(st.text(min_size=1, max_size=12))
def test_texts_are_written_so_that_yaml_reads_them(text: str) -> None:
    if any("\ud800" <= each <= "\udfff" or each == "\0" for each in text) or any(
        ord(each) > 0xFFFF for each in text
    ):
        return
    node = yaml.compose(f"- {yaml_text(text)}\n", Loader=yaml.BaseLoader)
    assert node is not None
    assert node.value[0].value == text
