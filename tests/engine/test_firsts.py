"""`first` and `next` in the engine: what they are short for, and as they are written in lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace

from antelog.compile import compile_program
from antelog.engine.columns.joins import budget
from antelog.engine.step.wording import rows_of
from antelog.lines import literal_of
from tests.engine.plain import PlainEngine
from tests.engine.replay import Compiled, compare, frames, run, runnable
from tests.random_firsts import by_hand, cases_with_firsts
from tests.recorded import FOLDER, NAMES, recorded
from tests.strategies import Case

_FIRST = re.compile(r"(?:first|next) (\w+)\((?:.*, )?(\w+[+-]?\d*)\) after (-?\w+[+-]?\d*)")


@pytest.mark.slow
@given(cases_with_firsts())
def test_the_engine_tells_what_the_specification_tells(case: Case) -> None:
    compare(case)


@pytest.mark.slow
@given(cases_with_firsts(latest=9, most=25))
def test_it_is_what_is_written_out_by_hand(case: Case) -> None:
    one, other = runnable(case.checked), runnable(by_hand(case).checked)
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        ends = range(case.until + 1)
        assert _sorted(run(case, one, ends)) == _sorted(run(case, other, ends))
        assert _sorted(run(case, one, [case.until])) == _sorted(run(case, one, ends))


@pytest.mark.slow
@given(cases_with_firsts(latest=9, most=25))
def test_texts_stand_for_what_is_written_out(case: Case) -> None:
    plan, long = compile_program(case.checked).plan, runnable(case.checked)
    if plan is None or long is None:
        return
    lines = run(case, Compiled(replace(plan, tick=None)), [case.until])
    others = run(case, long, [case.until])
    for line, other in zip(map(_plain, lines), map(_plain, others), strict=True):
        assert line[0] == other[0]
        for sides in line[1]:
            assert any(_stands_for(sides, theirs) for theirs in other[1]), (sides, other[1])


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("first-")])
def test_literals_read_as_they_are_recorded(name: str) -> None:
    case = recorded(name)
    plan = compile_program(case.checked).plan
    assert plan is not None
    engine, (query,) = PlainEngine(Compiled(plan)), plan.queries
    for text in (FOLDER / name / "snapshots.jsonl").read_text(encoding="utf-8").splitlines():
        now, told = json.loads(text)["tick"], json.loads(text)["answers"]
        engine.advance(now, frames(case.facts, plan, now - 1, now))
        found = [_plain(row)[1] for row in rows_of(engine.answers(query.name), query)]
        assert _sorted(found) == _sorted(_plain(answer)[1] for answer in told)


def _plain(line: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[list[str], list[str]]]]:
    """A line without literals, and these."""
    rest = {key: value for key, value in line.items() if key not in ("explanations", "because", "lost")}
    return rest, [(each["evidence"], each["hypotheses"]) for each in line["explanations"]]


def _stands_for(sides: tuple[list[str], list[str]], theirs: tuple[list[str], list[str]]) -> bool:
    """Whether evidence and hypotheses say what others say, written out."""
    return all(_side_for(one, other) for one, other in zip(sides, theirs, strict=True))


def _side_for(texts: Iterable[str], others: Iterable[str]) -> bool:
    left = set(others)
    for text in texts:
        found = _FIRST.match(text)
        if found is None:
            if text not in left:
                return False
            left.discard(text)
            continue
        name, time, begin = found.groups()
        first, last = _moved(begin, 1), _moved(time, -1)
        under = {e for e in others if re.match(rf"not {name}\(.*\b{re.escape(f'{first}..{last}')}\)", e)}
        assert literal_of(text).predicate == name
        if not under:
            return False
        left.discard(min(under & left or under))  # one may stand for two
        if not time.isdigit():  # the fact and its bounds are in this text, unless rules derive it
            arguments = text[text.index("(") : text.index(") after") + 1]
            left -= {e for e in left if e.startswith(f"{name}{arguments} where ") and f"{time} > " in e}
    return not left


def _moved(time: str, ticks: int) -> str:
    """The text of a time that lies some ticks later."""
    variable, shift = re.fullmatch(r"([A-Z]\w*)?([+-]?\d+)?", time).groups()  # type: ignore[union-attr]  # a time
    moved = int(shift or 0) + ticks
    return str(moved) if variable is None else f"{variable}{moved:+d}".removesuffix("+0")


def _sorted(log: Iterable[object]) -> list[str]:
    return sorted(re.sub(r"\b(\d+)\.0\b", r"\1", str(line)) for line in log)


def test_no_pairs_are_made_of_facts_that_a_known_one_lies_between() -> None:
    text = "input A(time). input B(time). P(U, T) :- A(T), first B(U) after T within 9999. query P(U, T)."
    facts = [
        (name, (2 * tick + odd,), 2 * tick + odd) for tick in range(400) for odd, name in enumerate("AB")
    ]
    case, rows = Case(text, tuple(facts), 800), 2_000  # of 80,000 pairs
    compiled = runnable(case.checked)
    assert compiled is not None
    with budget(80 * rows):
        lines = run(case, compiled, [case.until])
    assert sum(line["change"] == "confirmed" for line in lines) == 400
