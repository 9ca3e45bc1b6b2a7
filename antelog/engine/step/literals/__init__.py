"""The kinds of literals, by the node of the plan: a module and a line for each."""

from __future__ import annotations

from antelog.compile.literals.literal import AskedNode
from antelog.compile.literals.negation import Negation
from antelog.engine.step.literals.literal import AskedKind
from antelog.engine.step.literals.negation import NegationKind

ASKED: dict[type[AskedNode], AskedKind] = {Negation: NegationKind()}
