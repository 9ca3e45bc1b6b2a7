"""The two laws of the change log, and what is known ahead, on random programs and streams."""

from __future__ import annotations

from random import Random

from hypothesis import given, note
from hypothesis import strategies as st

from tests.cases_of_open_ends import cases_of_open_ends
from tests.cases_of_sight import cases_of_sight
from tests.few_literals import cases_of_few_literals
from tests.specification import Change, Evaluation, Kind, Report, changes, outlook, snapshots
from tests.specification.answers import Answer
from tests.specification.helpers import evaluation_of
from tests.specification.world import NEVER
from tests.strategies import Case, cases
from tests.two_times import cases_with_two_times

ANY = cases() | cases_of_few_literals() | cases_with_two_times() | cases_of_open_ends() | cases_of_sight()
Key = tuple[str, Answer]


def _by_tick(evaluation: Evaluation) -> dict[int, dict[Key, Report]]:
    found: dict[int, dict[Key, Report]] = {tick: {} for tick in range(evaluation.program.until + 1)}
    for report in snapshots(evaluation):
        found[report.tick][report.query, report.answer] = report
    return found


@given(ANY)
def test_the_last_lines_give_the_answers_of_every_tick(case: Case) -> None:
    note(str(case))
    evaluation = evaluation_of(case)
    reports = _by_tick(evaluation)
    lines = list(changes(evaluation))
    last: dict[Key, Change] = {}
    for tick, now in reports.items():
        confirmed = {key for key, line in last.items() if line.kind is Kind.CONFIRMED}
        for line in (line for line in lines if line.tick == tick):
            key = (line.query, line.answer)
            assert key not in confirmed
            assert line.kind is not Kind.REJECTED or key not in now
            last[key] = line
        reported = {
            key: line.explanations
            for key, line in last.items()
            if line.kind in (Kind.POSSIBLE, Kind.REVISED)
            or (line.kind is Kind.CONFIRMED and line.tick == tick)
        }
        assert reported == {key: report.explanations for key, report in now.items()}
        for key, report in now.items():
            ahead = last[key].ahead
            assert report.confirmed or ahead is not None
            if ahead is not None and ahead.if_silent is not None:
                assert ahead.if_silent.tick > tick, "overdue"


@given(ANY, st.randoms(use_true_random=False))
def test_the_order_of_facts_does_not_matter(case: Case, random: Random) -> None:
    facts = [*case.facts]
    random.shuffle(facts)
    other = Case(case.text, tuple(facts), case.until)
    assert list(changes(evaluation_of(case))) == list(changes(evaluation_of(other)))


@given(ANY)
def test_what_is_reported_at_a_tick_needs_no_later_fact(case: Case) -> None:
    note(str(case))
    whole = _by_tick(evaluation_of(case))
    for now in range(case.until):
        facts = tuple(fact for fact in case.facts if fact[-1] <= now)
        assert _by_tick(evaluation_of(Case(case.text, facts, case.until)))[now] == whole[now]


@given(ANY)
def test_what_is_known_ahead_comes_true(case: Case) -> None:
    """After the last fact answers end as was said, and each is decided by its tick."""
    note(str(case))
    last = max((arrival for _, _, arrival in case.facts), default=0)
    evaluation = evaluation_of(Case(case.text, case.facts, last + 6))
    reports = _by_tick(evaluation)
    for tick, now in reports.items():
        for key, report in now.items():
            ahead = None if report.confirmed else outlook(evaluation, report)
            if ahead is None:
                continue
            if ahead.decided_by is not None:
                _check_decided(evaluation, report, ahead.decided_by)
            if tick >= last:
                end = ahead.if_silent
                expected = next(
                    (
                        t
                        for t in range(tick + 1, last + 7)
                        if key not in reports[t] or reports[t][key].confirmed
                    ),
                    NEVER,
                )
                assert end is not None or expected == NEVER
                assert end is None or end.tick == expected or (end.tick > last + 6 and expected == NEVER)
                if end is not None and expected < NEVER:
                    assert (end.change == "confirmed") == (key in reports[end.tick])


def _check_decided(evaluation: Evaluation, report: Report, by: int) -> None:
    """Whether the hypotheses that wait for nothing open are true or false by a tick."""
    for _, candidate in evaluation.answers[report.query].reported(report.answer, report.tick):
        ticks = candidate.derivation.literals
        decided = (min(t) for li, t in ticks.items() if li.positive or not li.body.variables)
        assert all(tick <= by for tick in decided)
