"""antelog/workbench/diff: rules matched, and the differences in words."""

from __future__ import annotations

from pathlib import Path

import antelog
from antelog.workbench.diff.difference import ProgramDifference, difference_of
from antelog.workbench.diff.words import lines_of
from tests.tables import cases

OLD = """
input Temp(device, level, time) delay 2.
limit hot = 90.
Hot(X, T) :- Temp(X, V, T), V > hot.
Malf(X, T) :- Hot(X, T), Hot(X, T+1).
Cold(X, T) :- Temp(X, V, T), V < 10.
query Malf(X, T).
query Cold(X, T) critical.
"""


def difference(old: str, new: str) -> ProgramDifference:
    return difference_of(antelog.parse(old, name="old.alog"), antelog.parse(new, name="new.alog"))


def text_of(found: ProgramDifference) -> str:
    return "".join(f"{line}\n" for line, _ in lines_of(found))


def text(old: str, new: str) -> str:
    return text_of(difference(old, new))


def test_a_program_that_is_only_written_otherwise() -> None:
    assert text(OLD, OLD) == "The same in meaning: Malf, Cold\n2 queries: 2 the same\n"
    new = """
input Temp(device, level, time) delay 2.
limit hot = 90.
Malf(D, S) :- Warm(D, S+1), Warm(D, S).
Cold(X, T) :- Temp(X, V, T), V < 10.
Warm(X, T) :- Temp(X, V, T), hot < V.
query Malf(X, T).
query Cold(X, T) critical.
"""
    assert text(OLD, new).splitlines() == [
        "The same in meaning: Malf, Cold",
        "Only written otherwise",
        "  Hot is called Warm",
        "  rule in new.alog:4, was in old.alog:5: written otherwise",
        "  rule in new.alog:6, was in old.alog:4: written otherwise",
        "  rules are in another order",
        "2 queries: 2 the same",
    ]


@cases(__file__, "changed")
def test_what_is_changed_is_shown_with_its_places(before: str, after: str, lines: str) -> None:
    assert text(OLD, OLD.replace(before, after)) == f"{lines}\n"


def test_a_changed_limit() -> None:
    found = text(OLD, OLD.replace("hot = 90", "hot = 95"))
    assert "    written alike: a limit, a declaration or what it names differs\n" in found
    assert "limit hot: 95, was 90\n" in found


def test_new_and_gone_rules_and_queries() -> None:
    new = OLD.replace("query Cold(X, T) critical.", "Malf(X, T) :- Cold(X, T), Cold(X, T+2).").replace(
        "query Malf(X, T).", "query Malf(X, T).\nquery Hot(X, T)."
    )
    assert text(OLD, new).splitlines() == [
        "Malf: changed",
        "  decided by T+4, was by T+3",
        "  new rule in new.alog:9",
        "    + Malf(X, T) :- Cold(X, T), Cold(X, T+2).",
        "Hot: new, in new.alog:8",
        "Cold: gone, was in old.alog:8",
        "3 queries: 1 changed, 1 new, 1 gone",
    ]


def test_what_is_shown_otherwise_changes_no_meaning() -> None:
    new = OLD.replace("query Cold(X, T) critical.", 'query Cold(D, T) warning alert 80% many "{n} are cold".')
    found = difference(OLD, new)
    assert found.is_same
    assert text_of(found).splitlines() == [
        "The same in meaning: Malf, Cold",
        "  Cold: its columns are called D, T, were X, T",
        "  Cold: severity warning, was critical",
        "  Cold: alert 80%, was none",
        '  Cold: many "{n} are cold", was none',
        "2 queries: 2 the same",
    ]


def test_rules_that_moved_to_an_included_file(tmp_path: Path) -> None:
    old, new, part = (tmp_path / name for name in ("old.alog", "new.alog", "part.alog"))
    rule = "Hot(X, T) :- Temp(X, V, T), V > hot.\n"
    old.write_text(OLD, encoding="utf-8")
    part.write_text(rule, encoding="utf-8")
    new.write_text(OLD.replace(rule, 'include "part.alog".\n'), encoding="utf-8")
    found = difference_of(antelog.load(old), antelog.load(new))
    assert found.is_same
    assert f"  rule in {part}:1, was in {old}:4: moved\n" in text_of(found)


def test_a_change_that_no_query_sees() -> None:
    new = OLD.replace("query Malf", "Malf(X, T) :- Hot(X, T), Hot(X, T+1), Hot(X, T+2).\nquery Malf")
    found = difference(OLD, new)
    assert found.is_same
    assert "  rule in new.alog:7: new, and changes no answer of these\n" in text_of(found)
