"""antelog/incidents/: a backtest is what plain Python makes of the lines of `antelog try`."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import antelog
from tests.strategies import Case, cases

pytestmark = pytest.mark.filterwarnings("ignore::antelog.DataWarning")
ENDS = ("confirmed", "rejected", "closed")


@dataclass(frozen=True)
class Asked:
    """What is asked of a case: incidents (key, begin, end), leads, and whether chances are learned."""

    case: Case
    incidents: tuple[tuple[str | None, int, int], ...]
    least: int
    most: int
    settle: int
    within: bool
    learns: bool
    split: int | None = None


@st.composite
def questions(draw: st.DrawFn) -> Asked:
    case = draw(cases(latest=14, most=30))
    assume(case.facts)
    last = max(at for _, _, at in case.facts)
    keys = st.sampled_from(draw(st.sampled_from([["a", "b", "a", "b", "c"]] * 3 + [[None]])))
    incident = st.tuples(keys, st.integers(0, last + 2), st.sampled_from([0, 0, 0, 1, 3]))
    found = draw(st.lists(incident, min_size=2, max_size=7))
    least = draw(st.sampled_from([0, 1, 1, 2, -1]))
    return Asked(
        case,
        tuple((key, begin, begin + length) for key, begin, length in found),
        least,
        max(0, least) + draw(st.integers(0, 4)),
        draw(st.integers(0, 4)),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.sampled_from([None, None, last // 2 + 1])),
    )


# ---- the definitions, as the design has them, in loops ----


def level_of(line: dict[str, Any], level: float | str) -> bool:
    """Whether a line is at a level: what is confirmed is at all of them."""
    if line["change"] == "confirmed":
        return True
    if level == "confirmed" or line["change"] in ENDS or (line["change"] == "seen" and line.get("lost")):
        return False
    return level == "possible" or (line.get("chance") is not None and line["chance"] >= level)


def alerts_of(lines: list[dict[str, Any]], level: float | str, settle: int) -> list[int]:
    """The ticks at which alerts begin: at the first line while none is on."""
    on, confirmed, found = set[str](), -(10**9), list[int]()
    for tick in sorted({line["tick"] for line in lines}):
        was_on = tick <= confirmed + settle if level == "confirmed" else bool(on)
        rings = False
        for line in (each for each in lines if each["tick"] == tick):
            answer = json.dumps([line["query"], line["answer"], line.get("others")])
            on.discard(answer)
            if level_of(line, level):
                rings = True
                if line["change"] != "confirmed":
                    on.add(answer)
                confirmed = tick
        if rings and not was_on:
            found.append(tick)
    return found


def joined(incidents: list[tuple[str | None, int, int]]) -> list[tuple[str | None, int, int]]:
    """Overlapping incidents of one key are one."""
    found = list[tuple[str | None, int, int]]()
    for key, begin, end in sorted(incidents, key=lambda each: (str(each[0]), each[1])):
        if found and found[-1][0] == key and begin <= found[-1][2]:
            found[-1] = (key, found[-1][1], max(found[-1][2], end))
        else:
            found.append((key, begin, end))
    return found


def kind_of(tick: int, own: list[tuple[str | None, int, int]], asked: Asked, last: int) -> str:
    for _, begin, end in own:
        if tick + asked.least <= begin <= tick + asked.most or (asked.within and begin <= tick <= end):
            return "right"
    if any(tick <= begin < tick + asked.least for _, begin, _ in own):
        return "too_late"
    if any(begin <= tick <= end + asked.settle for _, begin, end in own) or tick + asked.most > last:
        return "neither"
    return "false"


def fits(key: str | None, own: list[tuple[str | None, int, int]]) -> list[tuple[str | None, int, int]]:
    return [each for each in own if key is None or each[0] in (None, key)]


def figures_of(
    lines: list[dict[str, Any]],
    level: float | str,
    asked: Asked,
    keys: list[str | None],
    first: int,
    last: int,
) -> dict[str, Any]:
    incidents = joined(list(asked.incidents))
    counted = [each for each in incidents if first + asked.most <= each[1] <= last]
    kinds, alerts = Counter[str](), list[tuple[str | None, int]]()
    for key in dict.fromkeys(line["key"] for line in lines):
        ticks = alerts_of([each for each in lines if each["key"] == key], level, asked.settle)
        alerts += [(key, tick) for tick in ticks if first <= tick <= last]
    for key, tick in alerts:
        kinds[kind_of(tick, fits(key, incidents), asked, last)] += 1
    early = list[int]()
    for each in counted:
        right = [
            tick
            for key, tick in alerts
            if fits(key, [each])
            and (
                each[1] - asked.most <= tick <= each[1] - asked.least
                or (asked.within and each[1] <= tick <= each[2])
            )
        ]
        if right:
            early.append(each[1] - min(right))
    quiet = [
        sum(
            not any(begin <= tick <= end + asked.settle for _, begin, end in fits(key, incidents))
            for tick in range(first, last + 1)
        )
        for key in keys
    ]
    rate = kinds["false"] / max(sum(quiet) / len(quiet), 1) * 1000
    return {
        **{name: kinds[name] for name in ("right", "too_late", "neither", "false")},
        "caught": len(early),
        "incidents": len(counted),
        "false_rate": pytest.approx(rate),
        "lead_median": sorted(early)[(len(early) - 1) // 2] if early else None,
        "lead_quarter": sorted(early)[-(-len(early) // 4) - 1] if early else None,
    }


# ---- both ----


def compare(asked: Asked) -> None:
    case = asked.case
    try:
        program = antelog.parse(case.text)
    except antelog.ProgramError:
        assume(False)
    inputs = {each.name: each for each in program.plan.inputs}
    frames = {
        name: [
            {**dict(zip(each.columns, values, strict=True)), "arrival": at}
            for predicate, values, at in case.facts
            if predicate == name
        ]
        for name, each in inputs.items()
    }
    frames = {name: rows for name, rows in frames.items() if rows}
    options: dict[str, Any] = {"model": "learn"} if asked.learns else {}
    queries = [each.name for each in program.plan.queries]
    # The partition key: its place in queries and inputs.
    places = {each.name: each.position for each in program.plan.key.positions} if program.plan.key else {}
    if not places.keys() & inputs.keys():
        places = {}  # no rule looks at a fact
    lines = [json.loads(line) for line in antelog.replay(program, frames, **options).lines()]
    for line in lines:
        place = places.get(line["query"])
        line["key"] = None if place is None else str([*line["answer"].values()][place])
    of_facts = {
        str(values[places[name]]) for name, values, _ in case.facts if name in places and name in frames
    }
    key = next((inputs[name].columns[places[name]] for name in places if name in inputs), "device")
    listed = [
        {**({} if name is None else {key: name}), "start": begin, "end": end}
        for name, begin, end in asked.incidents
    ]
    if not places:
        asked = Asked(**{**vars(asked), "incidents": tuple((None, *each[1:]) for each in asked.incidents)})
    elif of_facts and any(each[0] for each in asked.incidents):
        assume(any(each[0] in of_facts for each in asked.incidents))
    lead = f"{asked.least}..{asked.most}"
    more: dict[str, Any] = {"settle": str(asked.settle), "within": asked.within, "split": asked.split}
    try:
        found = antelog.backtest(program, frames, listed, lead=lead, query=queries, **more, **options)
    except antelog.DataError as error:
        assume("no incident can be judged" not in str(error))
        assume("the unseen part cannot begin" not in str(error))
        raise
    first, last = min(at for _, _, at in case.facts), max(at for _, _, at in case.facts)
    for row in found.queries.to_pylist():
        own = [each for each in lines if row["query"] in (None, each["query"])]
        keys: list[str | None] = [*sorted(of_facts)] or [None]
        if own and all(each["key"] is None for each in own):
            keys = [None]
        begin, end = first, last
        if asked.split is not None:
            begin, end = (asked.split, last) if row["part"] == "judged" else (first, asked.split - 1)
        level = row["chance"] if row["level"] == "likely" else row["level"]
        expected = figures_of(own, level, asked, keys, begin, end)
        assert {name: row[name] for name in expected} == expected, row


@settings(max_examples=25)
@given(questions())
def test_figures_are_those_of_plain_python(asked: Asked) -> None:
    compare(asked)


@pytest.mark.long
@settings(max_examples=200)
@given(questions())
def test_figures_of_many_programs_are_those_of_plain_python(asked: Asked) -> None:
    compare(asked)
