"""Why an answer is there, or why not: the rules as a tree, down to the facts.

`why` explains on recorded facts, `Engine.why` on those that an engine has kept.
"""

from __future__ import annotations

from collections.abc import Mapping

from antelog.engine.facts.frames import Frame
from antelog.why.answer import WhyAnswer
from antelog.why.atom import read_atom
from antelog.why.explaining import Detail, Explaining
from antelog.why.grounds import Grounds, ProgramRead

__all__ = ["Detail", "Grounds", "WhyAnswer", "explained", "why"]


def why(
    program: ProgramRead, facts: Mapping[str, Frame], atom: str, at: int | None = None, depth: int = 8
) -> WhyAnswer:
    """Why an atom is so, or is not, by the facts that arrived up to a tick; None: by all of them."""
    return explained(Grounds.of_facts(program, facts, at), atom, Detail(depth))


def explained(grounds: Grounds, atom: str, detail: Detail | None = None) -> WhyAnswer:
    """The explanation of the atom of a text."""
    goal = read_atom(atom, grounds.program)
    return WhyAnswer.of(Explaining(grounds, detail or Detail()).explain(goal))
