"""`antelog.suggest`: proposes rules from facts and incidents, or a better version of a program."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import structs

from antelog.compile.nodes.plan import Argument, Key, Plan
from antelog.engine.facts.frames import Frame
from antelog.errors import DataError, DataWarning
from antelog.files import Rejects
from antelog.incidents.alerts import CONFIRMED
from antelog.incidents.asked import lead_of
from antelog.incidents.backtest import BacktestResult, BacktestRow
from antelog.incidents.incident_list import IncidentList, read_incidents
from antelog.incidents.judging import ALL_KEYS, Lead
from antelog.incidents.report import rate_of, rate_text
from antelog.incidents.suggest.conditions import Writing
from antelog.incidents.suggest.declaring import Declared, columns_of, declared, with_a_query
from antelog.incidents.suggest.improving import Change, Trial, improved
from antelog.incidents.suggest.proposals import Done, Facts, proposals
from antelog.incidents.suggest.streams import key_positions, number_text, stream_of
from antelog.incidents.suggest.writing import CaseMoment, WrittenRule, case_of, program_text, written
from antelog.language.durations import duration_text
from antelog.program import Program, parse
from antelog.run.options import taken, takes
from antelog.run.replay import RecordedRows, ready_with, recorded
from antelog.run.settings import ReplaySettings, SuggestSettings, naming_arguments

_DAY = 86_400_000_000  # microseconds


@dataclass(frozen=True, eq=False)
class Suggestion:
    """A program with rules that incidents have in common, tests of them, and how they did.

    text     the program; empty if nothing is better than alarms at random
    tests    cases for `antelog test`, a real incident for each rule
    rules    a table of the rules, with their figures in all incidents and in those they were not found in
    """

    text: str
    tests: str = ""
    result: BacktestResult | None = None
    written: tuple[WrittenRule, ...] = ()
    changes: tuple[Change, ...] = ()
    improves: bool = False  # whether the program had rules

    @cached_property
    def rules(self) -> pa.Table:
        return pa.Table.from_pylist([*self._rules(), *map(_changed, self.changes)], _FIGURES)

    def _rules(self) -> Iterator[dict[str, Any]]:
        for each in self.written:
            assert self.result is not None
            found, proposal = _row(each.name, self.result).figures, each.proposal
            yield {
                "rule": each.name,
                "text": each.text,
                "limits": ", ".join(f"{name} = {number_text(value)}" for name, value in each.limits.items()),
                "caught": found.caught,
                "incidents": found.incidents,
                "false_rate": rate_of(found, self.result.plan.tick)[0],
                "unseen_caught": len(proposal.unseen.caught),
                "unseen_incidents": proposal.incidents,
                "unseen_false_rate": proposal.unseen.false / max(proposal.days, 1e-9),
            }

    def __str__(self) -> str:
        return self.text or (NO_CHANGE if self.improves else NOTHING)


NOTHING = "Nothing that comes before these incidents is better than alarms at random; no rule is proposed."
NO_CHANGE = "No other limit, and no condition more, does better on these incidents; nothing is changed."
_FIGURES = pa.schema(
    [
        *((name, pa.string()) for name in ("rule", "text", "limits")),
        *((name, pa.int64()) for name in ("caught", "incidents")),
        ("false_rate", pa.float64()),
        *((name, pa.int64()) for name in ("unseen_caught", "unseen_incidents")),
        ("unseen_false_rate", pa.float64()),
    ]
)


def _changed(change: Change) -> dict[str, Any]:
    return {"rule": change.name, "text": change.text, "limits": change.figures}


@dataclass(frozen=True)
class Declarations:
    """The text of a program that declares inputs; of those that nobody has declared, each of them."""

    text: str
    guessed: Declared | None = None


def suggested(
    trial: Trial, declarations: Declarations, rejects: Rejects, searching: Done = lambda _: None
) -> Suggestion:
    """Searches rules for the inputs of a program, or if it has rules for what makes them better."""
    program, wanted = trial.found.program, trial.wanted
    plan = _with_key(program.plan, wanted.key, trial.incidents)
    lead = lead_of(wanted, plan)
    listed = read_incidents(trial.incidents, plan, wanted, rejects)
    rows = RecordedRows.of(trial.recording.reader(program.plan, rejects)).rows
    if not rows:
        raise DataError(f"there are no facts; give them with --input {plan.inputs[0].name}=FILE")
    keys = {key: number for number, key in enumerate(listed.keys)}
    at = key_positions(plan)
    streams = [
        stream_of(source, rows[source.name], at.get(source.name), keys)
        for source in plan.inputs
        if source.name in rows
    ]
    facts = Facts.of(plan, streams, listed.incidents, lead, lambda share: searching(share / 3))
    if not np.isin(listed.incidents.key, [ALL_KEYS, *np.unique(facts.moments.key)]).any():
        raise DataError(
            f"{listed.name}: no incident is of a key that facts have. Is its key another column? Name it: "
            "--key device"
        )
    if _asks(program):
        changes = improved(trial, facts, listed, lead, keys)
        return Suggestion(changes[-1].program if changes else "", changes=tuple(changes), improves=True)
    found = tuple(
        proposals(
            facts, listed.incidents, lead, wanted.most, wanted.false_alarms,
            lambda share: searching((1 + 2 * share) / 3),
        )
    )  # fmt: skip
    if not found:
        return Suggestion("")
    taken = [each.name for part in (plan.inputs, plan.statics, plan.relations) for each in part]
    taken += [each.name for each in program.document.limits]
    rules = written(found, Writing(streams, facts.moments.base, "X" if at else None), plan, taken)
    own, guessed = declarations.text, declarations.guessed
    if guessed is not None:  # of inputs that nobody has declared those that rules use
        own = guessed.only(frozenset[str]().union(*(each.inputs for each in rules)))
    draft = parse(program_text(own, rules, {each.name: "" for each in rules}), name="rules")
    result = trial.judge(draft, query=tuple(each.name for each in rules))
    text = program_text(own, rules, {each.name: _figures(each, result, plan) for each in rules})
    tests = "cases:\n\n" + "\n\n".join(_case(each, facts, listed, keys, lead) for each in rules) + "\n"
    return Suggestion(text, tests, result, tuple(rules))


def _asks(program: Program) -> bool:
    """Whether a program has rules of its own."""
    return any(each.name != "AnyMoment" for each in program.plan.queries)


def _with_key(plan: Plan, given: str | None, incidents: Path | Frame) -> Plan:
    """The plan of inputs, with the column that all have as its key: the given one, or the incidents' own."""
    if plan.key and plan.key.positions and any(each.name != "AnyMoment" for each in plan.queries):
        at = {each.name: each.position for each in plan.key.positions}
        column = next((each.columns[at[each.name]] for each in plan.inputs if each.name in at), "")
        more = [e for e in plan.inputs if e.name not in at and column in e.columns[:-1]]
        others = [Argument(each.name, each.columns.index(column)) for each in more]
        return structs.replace(plan, key=Key((*plan.key.positions, *others)))
    column = (given or "").rpartition("=")[2]
    named = [each.columns[:-1] for each in plan.inputs]
    common = [name for name in named[0] if all(name in own for own in named)] if named else []
    known = [each.lower() for each in columns_of(incidents)]
    chosen = next((each for each in common if each == column.lower() or (not column and each in known)), None)
    variable = (given or "").rpartition("=")[0]
    chosen = chosen or (variable if variable in common else None)
    if chosen is None:
        return structs.replace(plan, key=Key((), "no column is that of the incidents"))
    places = tuple(Argument(each.name, each.columns.index(chosen)) for each in plan.inputs)
    return structs.replace(plan, key=Key(places))


def _figures(rule: WrittenRule, result: BacktestResult, plan: Plan) -> str:
    """`unseen: caught 16 of 20, 0.09 false alarms a day; in all: 17 of 20, 0.06 a day, median 6 h early`."""
    own, unseen, seen = _row(rule.name, result).figures, rule.proposal, rule.proposal.unseen
    ticks = unseen.days * (_DAY / plan.tick if plan.tick else 1000)
    rate = rate_text(replace(own, false=round(seen.false), ticks=max(ticks, 1.0)), plan.tick)
    number, _, unit = rate.partition(" ")
    early = ""
    if own.lead is not None:
        middle = own.lead[1]
        early = f", median {duration_text(middle * plan.tick) if plan.tick else f'{middle} ticks'} early"
    return (
        f"unseen: caught {len(seen.caught)} of {unseen.incidents}, {number} false alarms {unit}; "
        f"in all: {own.caught} of {own.incidents}, {rate_text(own, plan.tick)}{early}"
    )


def _row(name: str, result: BacktestResult) -> BacktestRow:
    return next(row for row in result.rows if row.figures.query == name and row.figures.level == CONFIRMED)


def _case(rule: WrittenRule, facts: Facts, listed: IncidentList, keys: Mapping[str, int], lead: Lead) -> str:
    """A test from the first incident that the rule catches."""
    rows = facts.holding(rule.proposal.rule)
    key, tick = facts.moments.key[rows], facts.moments.tick[rows]
    own = listed.incidents
    end = own.end if lead.within else own.begin - lead.least
    found = (
        (at[0], incident)
        for incident in range(own.count)
        if len(
            at := np.flatnonzero(
                ((key == own.key[incident]) | (own.key[incident] == ALL_KEYS))
                & (tick <= end[incident])
                & (tick >= own.begin[incident] - lead.most)
            )
        )
    )
    at, incident = next(found)
    number, when = int(key[at]), int(tick[at])
    named = next((text for text, each in keys.items() if each == number), None)
    about = CaseMoment(number, when, named, max(int(own.begin[incident]) - when, 0))
    return case_of(rule, facts.moments, facts.streams, about, facts.plan)


@takes(SuggestSettings)
def suggest(
    inputs: Mapping[str, str | PathLike[str] | Frame],
    incidents: str | PathLike[str] | Frame,
    settings: SuggestSettings,
) -> Suggestion:
    """Proposes rules that incidents have in common, as a program with limits, words and tests.

    Args:
        inputs: the files or frames of each input, as `antelog.replay` takes them
        incidents: a file, or a frame, with a `time`, or a `start` and an `end`, and the column of the key
        lead: how long before an incident an alert is right: `("1h", "24h")` or `"1h..24h"`
        program: declares the inputs; if it has rules, a better version of it is proposed. If not given, the
            inputs are declared as the files have them
        most: how many rules are proposed at most
        false_alarms: how many false alarms a day a rule may have; per 1,000 ticks without a `tick`
        settle, within, key, where, and others: as `antelog.backtest` takes them

    Raises DataError for what cannot be read, and for what does not fit the program.
    """

    def note(said: str) -> None:
        warnings.warn(said, DataWarning, stacklevel=4)

    with naming_arguments():
        rejects = Rejects()
        given = Path(fspath(incidents)) if isinstance(incidents, str | PathLike) else incidents
        program, guessed = settings.program, None
        if program is None:
            files = {
                name: Path(fspath(each)) if isinstance(each, str | PathLike) else each
                for name, each in inputs.items()
            }
            guessed = declared(files, settings.key, given)
            program = parse(with_a_query(guessed.text), name="inputs")
            settings = replace(settings, map={**guessed.maps, **settings.map})
        found = ready_with("suggest", program, inputs, replace(taken(ReplaySettings, settings), most=None))
        how = {"progress": lambda _: None, "note": note}
        trial = Trial(found, settings, given, recorded(found, inputs), how)
        result = suggested(trial, Declarations(program.source.text, guessed), rejects)
    for each in (*rejects.notes, *rejects.at_end):
        note(each)
    return result
