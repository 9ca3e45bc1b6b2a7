"""What the specification says of an explanation: whatever it calls true, awaited or failed is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antelog.language.vocabulary import PredicateKind
from antelog.why.tree import LiteralNode, RuleNode, WhyAnswer
from tests.specification.literals.literal import Around, Literal, Lowering, Ticks
from tests.specification.reading import bodies
from tests.specification.terms import Atom
from tests.specification.world import World

STATUS = {"confirmed": "true", "open": "awaited", "possible": "awaited", "rejected": "failed"}


_WAITS = "waits until its variables have values"


def status_of(world: World, atom: Atom, at: int) -> str:
    """The status of an atom at a tick."""
    return _status(world.truth(atom), at)


def _status(ticks: Ticks, at: int) -> str:
    true_at, false_at = ticks
    return "true" if true_at <= at else "failed" if false_at <= at else "awaited"


def literals_of(why: WhyAnswer) -> Iterator[LiteralNode]:
    """All literals of an explanation."""
    for rule in why.rules:
        yield from _of_rule(rule)


def _of_rule(rule: RuleNode) -> Iterator[LiteralNode]:
    for each in rule.literals:
        yield each
        if isinstance(each.below, RuleNode):
            yield from _of_rule(each.below)
        elif each.below is not None:
            yield from literals_of(each.below)


def wrong(world: World, why: WhyAnswer, at: int) -> list[str]:
    """The literals about which an explanation says something else than the specification."""
    found = []
    for each in literals_of(why):
        said = _judged(world, each, at)
        if said is not None and said != each.status:
            found.append(f"{each.text} is {said}, not {each.status} ({each.written})")
    return found


def _judged(world: World, node: LiteralNode, at: int) -> str | None:
    """The status of a literal without open variables; None if it has some, or is a condition."""
    text = re.sub(r'"[^"]*"', '""', node.text)
    if " where " in text or " per " in text or node.reason[:1] == (_WAITS,):
        return None
    inner = re.search(r"\b(count|sum|avg|min|max)\(", text)
    if re.search(r"\b[A-Z]\w*\b(?!\()", text) and not inner:
        return None
    if re.search(r"(?:^|[(, ])_\d", text):
        return None
    *_, body = bodies(node.text, Lowering(world.program.vocabulary))
    if body.goal is not None and ".." not in text and not text.startswith(("last", "not")):
        if body.goal.variables or "_" in re.split(r"[(),]\s*", text):
            return None
        # Within a window that is another atom's, it may be something else than by itself.
        program = world.program
        inside = program.windows and program.vocabulary[body.goal.predicate].kind is PredicateKind.DERIVED
        return None if inside else status_of(world, body.goal, at)
    if inner or text.startswith(("not ", "last ")):
        try:
            return _status(Literal(body, frozenset()).body.ticks(world, Around()), at)
        except (TypeError, NotImplementedError):
            return None
    return None
