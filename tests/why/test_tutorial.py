"""The answers of the tutorial, explained: those that are there, tick by tick, and those that are missing.

Each explanation is right by the specification, in every literal.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from antelog import Program, load
from antelog.compile.literals import Atom
from antelog.compile.literals.terms import Const, Time
from antelog.engine.facts.history import gather
from antelog.files import Rejects
from antelog.run.explaining import recorded_grounds
from antelog.run.replay import Recording, static_facts
from antelog.why.explaining import Detail, Explaining
from antelog.why.grounds import Grounds
from tests.docs.pages import ROOT, Block, blocks_of
from tests.docs.walking import Step, steps
from tests.specification.helpers import stream_of
from tests.specification.program import prepare
from tests.specification.terms import Atom as SpecifiedAtom
from tests.specification.world import World
from tests.why.judged import STATUS, status_of, wrong
from tests.why.test_examples import EXPECTED, changes

PAGES = sorted((ROOT / "docs" / "tutorial").glob("*.md"))


def replays(page: Path, folder: Path) -> Iterator[tuple[Program, Recording]]:
    """The programs of a page with their recorded facts, as its commands name them."""
    seen = set()
    for each in steps(blocks_of(page)):
        if isinstance(each, Block):
            assert each.file is not None
            (folder / each.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / each.file).write_text(each.text, encoding="utf-8")
        elif _is_replay(each, folder) and each.words[2:4] not in seen:
            seen.add(each.words[2:4])
            yield (
                load(folder / each.words[2]),
                Recording(_given(each, "--input", folder), _given(each, "--static", folder)),
            )


def _is_replay(step: Step, folder: Path) -> bool:
    if step.words[:2] != ("antelog", "try"):
        return False
    files = [folder / step.words[2], *_given(step, "--input", folder).values()]
    return all(file.exists() for file in files)


def _given(step: Step, option: str, folder: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for name, word in zip(step.words, step.words[1:], strict=False):
        if name == option:
            predicate, _, file = word.partition("=")
            found[predicate] = folder / file
    return found


def facts_of(grounds: Grounds) -> list[tuple[str, tuple[Any, ...], int]]:
    """All facts there are, as the specification takes them."""
    found = []
    for name in grounds.known.history:
        facts = gather(grounds.known.history, name, None)
        for at in range(facts.count):
            cells = [grounds.value(int(column[at])) for column in facts.columns]
            found.append((name, (*cells, int(facts.time[at])), int(facts.arrival[at])))
    return found


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_each_answer_of_the_tutorial_is_explained(page: Path, tmp_path: Path) -> None:
    for program, recording in replays(page, tmp_path):
        whole = recorded_grounds(program, recording, None, Rejects())
        facts = facts_of(whole)
        lines = list(changes(program, recording, 1_000))
        assert lines
        for tick, change, atom in lines:
            grounds = recorded_grounds(program, recording, tick, Rejects())
            found = Explaining(grounds, Detail(20, 3)).explain(atom)
            if change in EXPECTED:
                assert found.status in EXPECTED[change], (tick, change, atom.text)
            _judge(program, recording, facts, (atom, tick))
        last = max(tick for tick, _, _ in lines)
        whole = recorded_grounds(program, recording, last, Rejects())
        confirmed = {atom.text for _, change, atom in lines if change == "confirmed"}
        for atom in _possible([atom for _, _, atom in lines], facts):
            found = Explaining(whole, Detail(20, 3)).explain(atom)
            assert (found.status == "confirmed") == (atom.text in confirmed), (atom.text, found.status)
            _judge(program, recording, facts, (atom, last))


def _possible(known: list[Atom], facts: list[tuple[str, tuple[Any, ...], int]]) -> Iterator[Atom]:
    """Atoms like those that are known, with values and ticks of others: some are missing."""
    for name in {atom.predicate for atom in known}:
        own = [atom for atom in known if atom.predicate == name]
        columns = [list(dict.fromkeys(column)) for column in zip(*(a.arguments for a in own), strict=True)]
        ticks = sorted({atom.time.offset for atom in own} | {row[-1] for _, row, _ in facts})
        for arguments in product(*columns):
            for tick in ticks[:30]:
                yield Atom(name, tuple(arguments), Time(None, int(tick)))


def _judge(program: Program, recording: Recording, facts: list[Any], asked: tuple[Atom, int]) -> None:
    """An explanation at a tick is what the specification says."""
    atom, at = asked
    grounds = recorded_grounds(program, recording, at, Rejects())
    static = static_facts(program.plan, recording.statics, Rejects(), recording.maps)
    if static:
        return  # the specification has the background of the program only
    checked = grounds.program.checked
    world = World(prepare(checked, stream_of(facts), at, 10_000), at)
    found = Explaining(grounds, Detail(20, 3)).explain(atom)
    row = tuple(term.value for term in atom.arguments if isinstance(term, Const))
    specified = status_of(world, SpecifiedAtom(atom.predicate, (*row, atom.time.offset)), at)
    early = found.status == "possible" and specified == "true" and atom.time.offset > at
    assert early or STATUS[found.status] == specified, (atom.text, at, specified)
    assert not wrong(world, found, at)
