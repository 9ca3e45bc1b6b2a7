"""The differences of two programs in plain words, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from antelog.compile.literals.terms import later
from antelog.compile.meanings import Fate, QueryDifference
from antelog.language.durations import long_duration_text
from antelog.language.moments import Timescale, moment
from antelog.language.printer import value_text
from antelog.language.syntax import SEVERITIES
from antelog.workbench.diff.difference import ProgramDifference, RuleDifference, Written, aspects

TITLE, TEXT, OLD, NEW = "title", "text", "old", "new"

_MOST_RULES = 20  # the most differing rules of a query that are shown
_COUNTED = {
    Fate.CHANGED: "changed",
    Fate.RETIMED: "decided at other ticks",
    Fate.ADDED: "new",
    Fate.GONE: "gone",
    Fate.SAME: "the same",
}

DiffLine = tuple[str, str]  # a line of the text, and its role


def lines_of(difference: ProgramDifference, most: int = 10) -> Iterator[DiffLine]:
    """Says in words how two programs differ, with at most so many differing answers of each kind."""
    shown: dict[RuleDifference, str] = {}
    for each in difference.meaning.queries:
        if each.fate is not Fate.SAME:
            yield from _query(difference, each, shown)
    same = [each for each in difference.meaning.queries if each.fate is Fate.SAME]
    if same:
        yield f"The same in meaning: {', '.join(each.name for each in same)}", TITLE
        for each in same:
            yield from ((f"  {each.name}: {said}", TEXT) for said in _shown_otherwise(each))
    written = list(_written_otherwise(difference))
    if written:
        yield "Only written otherwise", TITLE
        yield from written
    yield from _declarations(difference)
    if difference.answers is not None:
        yield from _answers(difference, most)
    of = difference.meaning.of
    # Those that are only called otherwise are not counted.
    counts = [(sum(each.twin is None for each in of(fate)), words) for fate, words in _COUNTED.items()]
    counts.insert(-1, (sum(each.twin is not None for each in of(Fate.ADDED)), "called otherwise"))
    summary = ", ".join(f"{number} {words}" for number, words in counts if number)
    queries = sum(number for number, _ in counts)
    yield f"{queries} quer{'y' if queries == 1 else 'ies'}: {summary}", TITLE


def _query(
    difference: ProgramDifference, each: QueryDifference, shown: dict[RuleDifference, str]
) -> Iterator[DiffLine]:
    old, new = difference.query(each)
    match each.fate:
        case Fate.ADDED:
            assert new is not None
            how = f"the same as {each.twin}, which it was called before" if each.twin else "new"
            yield f"{each.name}: {how}, in {new.position}", TITLE
            return
        case Fate.GONE:
            assert old is not None
            how = f"called {each.twin} now" if each.twin else "gone"
            yield f"{each.name}: {how}, was in {old.position}", TITLE
            return
        case Fate.RETIMED:
            inputs = " and ".join(each.inputs)
            yield f"{each.name}: the same patterns, but {inputs} is declared otherwise", TITLE
        case _:
            yield f"{each.name}: changed", TITLE
    if each.old is not None and each.new is not None:
        bounds = [relation.bounds.delay for relation in (each.new, each.old)]
        if bounds[0] != bounds[1]:
            delays = ["without a bound" if each is None else f"by {later('T', each)}" for each in bounds]
            yield "  decided {}, was {}".format(*delays), TEXT
    is_other = old is not None and new is not None and old.text != new.text
    if is_other and not (each.has_other_columns or each.has_other_notice):
        yield from _both("query", old, new)
    if each.fate is Fate.CHANGED:
        yield from _rules(difference, each, shown)
    yield from ((f"  {said}", TEXT) for said in _shown_otherwise(each))


def _rules(
    difference: ProgramDifference, each: QueryDifference, shown: dict[RuleDifference, str]
) -> Iterator[DiffLine]:
    rules = difference.rules_of(each)
    for rule in rules[:_MOST_RULES]:
        if rule in shown:
            yield f"  rule in {rule.written.position}: see {shown[rule]}", TEXT
            continue
        shown[rule] = each.name
        yield from _both("rule", rule.old, rule.new)
        if rule.old is not None and rule.new is not None and rule.old.text == rule.new.text:
            yield "    written alike: a limit, a declaration or what it names differs", TEXT
    if len(rules) > _MOST_RULES:
        yield f"  and {len(rules) - _MOST_RULES:,} more rules that differ", TEXT
    if not rules:
        yield "  none of its rules differs, but what they rest on does: see the declarations below", TEXT


def _both(what: str, old: Written | None, new: Written | None) -> Iterator[DiffLine]:
    if new is None:
        assert old is not None
        yield f"  {what} gone, was in {old.position}", TEXT
    elif old is None:
        yield f"  new {what} in {new.position}", TEXT
    else:
        yield f"  {what} in {new.position}, was in {old.position}", TEXT
    if old is not None:
        yield f"    - {old.text}", OLD
    if new is not None:
        yield f"    + {new.text}", NEW


def _shown_otherwise(each: QueryDifference) -> Iterator[str]:
    """Names the differences in columns, severity, alert and words of a query."""
    if each.old is None or each.new is None:
        return
    if each.has_other_columns:
        old, new = (", ".join(relation.answer.names) for relation in (each.old, each.new))
        yield f"its columns are called {new}, were {old}"
    for name in ("severity", "alert", "words", "many", "runbook"):
        now, before = getattr(each.new.notice, name), getattr(each.old.notice, name)
        if now != before:
            yield f"{name} {_notice(now)}, was {_notice(before)}"


def _notice(value: Any) -> str:
    match value:
        case None:
            return "none"
        case float():
            return f"{value_text(value * 100)}%"
        case _:
            return str(value) if value in SEVERITIES else f'"{value}"'


def _written_otherwise(difference: ProgramDifference) -> Iterator[DiffLine]:
    """Names the differences that change no meaning."""
    for before, after in difference.renamed.items():
        yield f"  {before} is called {after}", TEXT
    others = difference.rewritten
    for each in others[:_MOST_RULES]:
        old, new = each.both
        how = "moved" if each.is_moved else "written otherwise"
        yield f"  rule in {new.position}, was in {old.position}: {how}", TEXT
    if len(others) > _MOST_RULES:
        yield f"  and {len(others) - _MOST_RULES:,} more rules that are written otherwise", TEXT
    if difference.is_reordered:
        yield "  rules are in another order", TEXT
    behind = {rule for each in difference.meaning.of(Fate.CHANGED) for rule in difference.rules_of(each)}
    for each in (rule for rule in difference.different if rule not in behind):
        how = "changed" if each.old and each.new else "new" if each.new else "gone"
        yield f"  rule in {each.written.position}: {how}, and changes no answer of these", TEXT


def _declarations(difference: ProgramDifference) -> Iterator[DiffLine]:
    scales = [rules.timescale for rules in (difference.old, difference.new)]
    if scales[0] != scales[1]:
        yield f"tick: {_scale(scales[1])}, was {_scale(scales[0])}", TITLE
    for each in difference.meaning.inputs:
        old, new = difference.input(each.name)
        what = ", ".join(aspects(each)) or ("new" if each.old is None else "gone")
        yield f"input {each.name}: {what}", TITLE
        for mark, role, own, others in (("-", OLD, old, new), ("+", NEW, new, old)):
            known = {one.text for one in others}
            yield from (
                (f"  {mark} {one.text}  in {one.position}", role) for one in own if one.text not in known
            )
    for name, before, after in difference.limits:
        values = ("none" if each is None else value_text(each.value) for each in (after, before))
        yield "limit {}: {}, was {}".format(name, *values), TITLE


def _scale(scale: Timescale | None) -> str:
    return "none" if scale is None else f"{long_duration_text(scale.length)}, zone {scale.zone}"


def _answers(difference: ProgramDifference, most: int) -> Iterator[DiffLine]:
    yield "Confirmed on these facts", TITLE
    for each in difference.answers or ():
        only = len(each.only_old), len(each.only_new), len(each.moved)
        if not (any(only) or each.lost):
            yield f"  {each.query}: the same, {each.same:,} answer{'' if each.same == 1 else 's'}", TEXT
            continue
        counts = "{:,} only by the old rules, {:,} only by the new ones, {:,} at another tick".format(*only)
        lost = f", {len(each.lost):,} lost from sight by one of them" if each.lost else ""
        yield f"  {each.query}: {counts}{lost}, {each.same:,} the same", TITLE
        for found, role, mark in (
            (each.only_old, OLD, "-"),
            (each.only_new, NEW, "+"),
            (each.moved, TEXT, "~"),
            (each.lost, TEXT, "?"),
        ):
            for one in found[:most]:
                whose = "old" if one.new is None else "new"
                lost = f", and lost from sight by the {whose} rules" if found is each.lost else ""
                old, new = (
                    None if tick is None else moment(tick, rules.timescale)
                    for tick, rules in ((one.old, difference.old), (one.new, difference.new))
                )
                was = f", was at {old}" if old and new else ""
                yield f"    {mark} {one.answer}  confirmed at {new or old}{was}{lost}", role
            if len(found) > most:
                yield f"    {mark} and {len(found) - most:,} more", role
