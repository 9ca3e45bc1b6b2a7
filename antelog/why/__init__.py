"""Why an answer is there, or why not: the rules as a tree, down to the facts.

`why` explains on recorded facts, `Engine.why` on those that an engine has kept.
"""

from __future__ import annotations

from collections.abc import Mapping

from antelog.arrow.ticks import Moment, tick_of
from antelog.engine.facts.frames import Frame
from antelog.given import NAMED, POSITIVE, TEXT, checked, wrong
from antelog.language.syntax import Document
from antelog.why.atom import read_atom
from antelog.why.explaining import Detail, Explaining
from antelog.why.grounds import Grounds, ProgramRead, written
from antelog.why.tree import WhyAnswer

__all__ = ["Detail", "Grounds", "WhyAnswer", "explained", "why"]


@checked(facts=NAMED, atom=TEXT, depth=POSITIVE)
def why(
    program: ProgramRead,
    facts: Mapping[str, Frame],
    atom: str,
    at: Moment | None = None,
    *,
    depth: int = Detail().depth,
) -> WhyAnswer:
    """Why an atom is so, or is not, by the facts that arrived up to a tick; None: by all of them.

    Facts are frames, as `Engine.advance` takes them, with a column `arrival`, or they arrive at their own
    ticks. The tick may be a timestamp. Raises ProgramError if the text is not an atom, and DataError if the
    program has no such predicate.
    """
    if not isinstance(getattr(program, "document", None), Document):
        raise wrong("why: the program", program, "what `antelog.load(path)` or `antelog.parse(text)` makes")
    tick = None if at is None else tick_of(at, written(program).plan.timescale)
    return explained(Grounds.of_facts(program, facts, tick), atom, Detail(depth))


def explained(grounds: Grounds, atom: str, detail: Detail | None = None) -> WhyAnswer:
    """The explanation of the atom of a text."""
    goal = read_atom(atom, grounds.program)
    return Explaining(grounds, detail or Detail()).explain(goal)
