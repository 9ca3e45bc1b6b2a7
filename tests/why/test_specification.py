"""Tests of antelog/why against the specification: random programs, atoms that are there and that are not."""

from __future__ import annotations

from hypothesis import event, given, note, reject
from hypothesis import strategies as st

from antelog import Program
from antelog.compile.literals import Atom
from antelog.compile.literals.terms import Const, Time
from antelog.language import Checked
from antelog.language.syntax import Value
from antelog.language.vocabulary import PredicateKind
from antelog.why import Detail
from antelog.why.explaining import Explaining
from antelog.why.grounds import Grounds
from tests.all_cases import SMALL
from tests.engine.replay import frames, runnable
from tests.random_functions import FUNCTIONS
from tests.specification import RefusedError, TooManyDerivationsError
from tests.specification.helpers import stream_of
from tests.specification.program import prepare
from tests.specification.terms import Atom as SpecifiedAtom
from tests.specification.world import World
from tests.strategies import Case
from tests.why.judged import STATUS, status_of, wrong


def atoms(checked: Checked, case: Case) -> list[tuple[str, tuple[Value, ...]]]:
    """Atoms of derived predicates with the values of the case, and ticks around its facts."""
    values = sorted({v for _, row, _ in case.facts for v in row[:-1]} | {"a"}, key=str)[:4]
    found = []
    for predicate in checked.vocabulary.predicates.values():
        if predicate.kind is PredicateKind.DERIVED:
            width = len(predicate.columns) - 1
            rows: list[tuple[Value, ...]] = [()]
            for _ in range(width):
                rows = [(*row, v) for row in rows for v in values]
            found += [(predicate.name, (*row, t)) for row in rows for t in range(case.until + 2)]
    return found


@given(SMALL, st.data())
def test_explanations_say_what_the_specification_says(case: Case, data: st.DataObject) -> None:
    checked, compiled = case.checked, runnable(case.checked)
    if compiled is None:
        event("refused")
        return
    possible = atoms(checked, case)
    wanted = data.draw(
        st.lists(st.sampled_from(possible), min_size=1, max_size=8, unique=True), label="atoms"
    )
    at = data.draw(st.integers(0, case.until + 1), label="at")
    try:
        program = prepare(checked, stream_of(case.facts), case.until, 10_000)
    except (RefusedError, TooManyDerivationsError):
        reject()
    world = World(program, at)
    facts = frames(case.facts, compiled.plan, -1, case.until + 10)
    functions = {each.name: FUNCTIONS[each.name] for each in checked.document.functions}
    grounds = Grounds.of_facts(Program(checked.document, compiled.plan, (), functions), facts, at)
    if grounds.begin and grounds.known.rules.cycles:
        return  # with a tick, atoms that rest on their own past begin with time; those specified begin at 0
    note(f"{case}\nat {at}")
    for name, row in wanted:
        try:
            specified = status_of(world, SpecifiedAtom(name, row), at)
        except (RefusedError, TooManyDerivationsError):
            continue
        goal = Atom(name, tuple(map(Const, row[:-1])), Time(None, int(row[-1])))
        why = Explaining(grounds, Detail(20, 2)).explain(goal)
        note(str(why))
        event(why.status)
        # What the clock drives is certain before it is told.
        early = why.status == "possible" and specified == "true" and int(row[-1]) > at
        assert early or STATUS[why.status] == specified, (str(why), specified)
        assert not (found := wrong(world, why, at)), (str(why), found)
        why.to_dict()
