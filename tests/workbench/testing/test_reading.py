"""antelog/workbench/testing/{marked,texts,suite}.py: files, and the mistakes in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from antelog.run.source_settings import ValueSettings
from antelog.workbench.testing.marked import MOST_LETTERS
from antelog.workbench.testing.suite import read_suite
from tests.tables import cases
from tests.workbench.testing.suites import PROGRAM, case, problems, said, suite, written

ANYTHING = "input P(value, time).\nQ(X, T) :- P(X, T).\nquery Q(X, T).\n"


def test_values_are_those_of_the_language_and_words_of_yaml_are_words(tmp_path: Path) -> None:
    texts = ["7", "1.50", '"10:30"', "010", "-3", '"a # b"', "1e3", '"0x1F"', "on", "no", "null", "y", "inf"]
    found = suite(tmp_path, case("\n".join(f"- 'P({text}, 0) @ 0'" for text in texts)), ANYTHING)
    assert said(found) == ""
    values = [7, 1.5, "10:30", 10, -3, "a # b", 1000, "0x1F", "on", "no", "null", "y", "inf"]
    assert [each.values for each in found.cases[0].facts] == [(value, 0) for value in values]
    assert suite(tmp_path, case("- P(yes, 0)"), ANYTHING).cases[0].facts[0].values == ("yes", 0)


def test_arrivals_and_names_are_texts(tmp_path: Path) -> None:
    found = suite(tmp_path, "cases:\n- name: 1_000\n  facts: [ 'P(a, 0) @ 2', 'P(b, 1)' ]\n", ANYTHING)
    (only,) = found.cases
    assert only.name == "1_000"
    assert [each.arrival for each in only.facts] == [2, None]


def test_times_may_be_timestamps(tmp_path: Path) -> None:
    program = f"tick 10 minutes.\n{ANYTHING}"
    facts = """\
    - P(a, 2024-03-04 08:00) @ 2024-03-04 08:20
    - P(2024-03-04, 2024-03-04T08:00:00Z)
    - P(b, "2024-03-04 08:00")
    """
    (only,) = suite(tmp_path, case(facts), program).cases
    first, second, third = only.facts
    assert first.arrival == first.values[1] + 2  # type: ignore[operator]  # both are ticks
    assert second.values[1] == first.values[1] == third.values[1]


def test_a_fact_of_the_background_has_no_arrival(tmp_path: Path) -> None:
    found = suite(tmp_path, case("- Turbine(wt7)\n- Turbine(wt8) @ 2"))
    assert [each.message for each in found.file.problems] == [
        "Turbine is static: it holds at every time, and has no arrival"
    ]


def test_anchors_serve_several_cases(tmp_path: Path) -> None:
    cases = """\
    cases:
    - name: one
      facts: &both
      - P(a, 0)
      - P(b, 1)
    - name: other
      facts: *both
    """
    found = suite(tmp_path, cases, ANYTHING)
    assert [len(each.facts) for each in found.cases] == [2, 2]


def test_facts_of_all_cases_come_first(tmp_path: Path) -> None:
    cases = "facts:\n- P(a, 0)\ncases:\n- name: one\n  facts: P(b, 0)\n- name: other\n"
    found = suite(tmp_path, cases, ANYTHING)
    assert [[fact.values[0] for fact in each.facts] for each in found.cases] == [["a", "b"], ["a"]]


@cases(
    __file__,
    "files",
    ("cases: " + "[" * 3000 + "]" * 3000, "it is nested too deeply"),
    ("#" * (MOST_LETTERS + 1), f"it has more than {MOST_LETTERS:,} letters"),
)
def test_what_is_wrong_with_a_file(tmp_path: Path, text: str, message: str) -> None:
    found = suite(tmp_path, text)
    assert found.file.problems[0].message == message
    assert said(found)
    assert not found.cases or found.wrong


@pytest.mark.parametrize(
    "content", [b"\xff\xfec\x00", b"cases:\n- name: \xe4\n", "cases:\n- name: ä\n".encode("utf-16")]
)
def test_other_encodings_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.test.yaml"
    path.write_bytes(content)
    (problem,) = read_suite(path).file.problems
    assert problem.message.startswith("it is not UTF-8 text, see byte ")


def test_a_mark_of_the_encoding_and_other_line_ends_do_no_harm(tmp_path: Path) -> None:
    path = written(tmp_path, "", ANYTHING)
    path.write_bytes(b"\xef\xbb\xbf" + case("- P(a, 0)\n- P(b, T)").replace("\n", "\r\n").encode())
    found = read_suite(path)
    assert [fact.values for fact in found.cases[0].facts] == [("a", 0)]
    assert said(found).startswith("turbines.test.yaml:5:10: error E803 (test-misfit): `T` is not a time")


@cases(__file__, "facts")
def test_what_is_wrong_with_facts(tmp_path: Path, facts: str, message: str) -> None:
    found = suite(tmp_path, case(facts), ANYTHING)
    assert message in found.file.problems[0].message
    assert said(found)


@cases(__file__, "expectations")
def test_what_is_wrong_with_expectations(tmp_path: Path, expect: str, message: str) -> None:
    found = suite(tmp_path, case("- P(a, 0)", expect), ANYTHING)
    assert message in "\n".join(each.message for each in found.file.problems)
    assert said(found)


def test_a_text_in_brackets_is_taken_apart_by_yaml(tmp_path: Path) -> None:
    found = suite(tmp_path, "cases:\n- name: a\n  facts: [P(a, 0)]\n", ANYTHING)
    assert found.file.problems[0].message == "this text is cut at a comma"
    assert "behind a dash" in found.file.problems[0].hint


def test_a_folded_chance_gets_a_remedy(tmp_path: Path) -> None:
    found = suite(tmp_path, case("- P(a, 0)", "- open:\n  - Q(a, 0):\n      chance: > 50%"), ANYTHING)
    assert "Write `over 50%`" in found.file.problems[0].hint


def test_all_mistakes_come_at_once_with_place_line_and_caret(tmp_path: Path) -> None:
    found = suite(tmp_path, case("- P(a, T)\n- 'P(''a, 0)'", "- open: Qu(a, 0)"), ANYTHING)
    assert said(found) == (
        "turbines.test.yaml:4:10: error E803 (test-misfit): `T` is not a time\n"
        "     4 |   - P(a, T)\n"
        "       |          ^\n"
        "  Give the number of a tick.\n\n"
        "turbines.test.yaml:5:8: error E803 (test-misfit): "
        "`'` cannot stand here: expected a variable, a constant, a number or `)`\n"
        "     5 |   - 'P(''a, 0)'\n"
        "       |        ^\n"
        '  Write texts in double quotes, such as `"very high"`.\n\n'
        "turbines.test.yaml:7:11: error E803 (test-misfit): the program has no query Qu\n"
        "     7 |   - open: Qu(a, 0)\n"
        "       |           ^^\n"
        "  It has Q."
    )


def test_a_program_that_is_wrong_or_missing_is_said_plainly(tmp_path: Path) -> None:
    wrong = suite(tmp_path, case("- P(a, 0)"), "query Q(X, T).")
    assert {each.code for each in problems(wrong)} == {"E203"}
    (tmp_path / "alone.test.yaml").write_text(case(), "utf-8")
    alone = read_suite(tmp_path / "alone.test.yaml")
    assert alone.file.problems[0].message == "there is no program alone.alog beside it"
    assert alone.file.problems[0].hint == "Name it: `program: turbines.alog`."


def test_limits_come_from_the_file_the_case_and_the_command(tmp_path: Path) -> None:
    program = "limit hot = 90.\ninput P(value: number, time).\nQ(T) :- P(V, T), V > hot.\nquery Q(T).\n"
    cases = "set:\n  hot: 80\ncases:\n- name: one\n- name: other\n  set:\n    hot: 70\n"
    path = written(tmp_path, cases, program)
    values = [each.texts.program.source.values for each in read_suite(path).cases]
    assert values == [{"hot": 80}, {"hot": 70}]
    given = read_suite(path, ValueSettings(limits={"hot": 60, "cold": 5})).cases
    assert [each.texts.program.source.values for each in given] == [{"hot": 60}, {"hot": 60}]
    unknown = suite(tmp_path, "cases:\n- name: one\n  set:\n    hat: 70\n", program)
    assert unknown.file.problems[0].message == "the program has no limit hat"
    assert unknown.file.problems[0].hint == "It has hot."


@pytest.mark.parametrize("place", range(0, len(PROGRAM), 7))
def test_a_file_that_is_cut_anywhere_is_read_or_refused(tmp_path: Path, place: int) -> None:
    whole = case(
        "- Temp(wt2, high, 0) @ 1", "- at: 1\n  open:\n  - Malf(wt2, 0):\n      awaits: Temp(wt2, high, 1)"
    )
    found = suite(tmp_path, whole[: place % len(whole)])
    assert isinstance(said(found), str)
