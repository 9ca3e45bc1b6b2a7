"""What is reported as text, read back into the specification's terms, so that both can be compared."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from antelog.diagnostics import Source
from antelog.language.parser import parse
from antelog.language.vocabulary import Predicate, PredicateKind, Vocabulary
from tests.specification.answers import Answer, Explanation, explanation
from tests.specification.literals import Body, lowered
from tests.specification.literals.literal import Literal, Lowering, place
from tests.specification.terms import OTHERS


def answer_of(row: Mapping[str, Any], others: Iterable[str] | None) -> Answer:
    """An answer as it is written: null is an open variable, or stands for all `others`."""
    return tuple((name, OTHERS if name in (others or ()) else value) for name, value in row.items())


def explanation_of(reported: Mapping[str, Any], own: Iterable[str]) -> Explanation:
    names = tuple(own)
    shared = _outside((*reported["evidence"], *reported["hypotheses"])).union(names)
    evidence, hypotheses = (
        [literal_of(text, shared) for text in reported[part]] for part in ("evidence", "hypotheses")
    )
    so_far = reported.get("so_far") or ()
    pairs = so_far.items() if isinstance(so_far, Mapping) else ((e["literal"], amount_of(e)) for e in so_far)
    # Conditions have an order of their own here.
    amounts = ((str(literal_of(text, shared)) if " where " in text else text, each) for text, each in pairs)
    return replace(explanation(evidence, hypotheses, frozenset(names)), so_far=frozenset(amounts))


def because_of(texts: Collection[str], own: Iterable[str], around: Iterable[str] = ()) -> frozenset[Literal]:
    """The reasons of a rejection; `around` are more texts with its open variables."""
    names = frozenset(own)
    shared = _outside((*texts, *around)).union(names)
    literals = [literal_of(text, shared.difference(_AGGREGATED.findall(text))) for text in texts]
    return explanation((), literals, names).hypotheses


def amount_of(reported: Mapping[str, Any]) -> float | None:
    """What an aggregate of a table comes to: a whole number whose double lacks digits stands beside it."""
    whole: int | None = reported["whole"]
    value: float | None = reported["value"]
    return value if whole is None else whole


def _outside(texts: Iterable[str]) -> frozenset[str]:
    """The open variables that stand in no aggregate: in those they are none of their own."""
    plain = (_AGGREGATE.sub("", re.sub(r'"[^"]*"', "", text)) for text in texts)
    found = (re.findall(r"\b[A-Z]\w*\b(?!\()", text) for text in plain)
    return frozenset[str]().union(*found)


_AGGREGATED = re.compile(r"\b([A-Z]\w*) :")  # the variable whose values are counted or added is never shared
_AGGREGATE = re.compile(r"\b(count|sum|avg|min|max)\([^()]*\([^()]*\)([^()]|\([^()]*\))*\)")


def explanations_of(reported: Iterable[Mapping[str, Any]], own: Iterable[str]) -> frozenset[Explanation]:
    """Explanations that are all different."""
    names, rows = tuple(own), list(reported)
    found = frozenset(explanation_of(each, names) for each in rows)
    assert len(found) == len(rows), f"something is reported twice: {rows}"
    return found


def in_order(texts: Iterable[str]) -> list[str]:
    """Literals as they are printed, in the order of the specification: by time, then text."""
    return sorted(texts, key=lambda text: (*place(literal_of(text).body.time), text))


def literal_of(text: str, outside: Collection[str] = ()) -> Literal:
    """A literal as it is printed: `Reading(a, V, 1) where V >= 90.5`; `outside` are variables of others."""
    stated, _, conditions = text.partition(" where ")
    others = f"Outside({', '.join(sorted(outside))}, 0), " if outside else ""
    *_, body = bodies(others + stated, Lowering(_NO_STATIC))
    names = re.findall(r"not (\w+)", conditions)
    static = Vocabulary({name: Predicate(name, PredicateKind.STATIC, (), ()) for name in names})
    lowering = Lowering(static)
    return Literal(body, frozenset(bodies(conditions, lowering, printed=True) if conditions else ()))


def bodies(text: str, lowering: Lowering, head: str = "0", *, printed: bool = False) -> Iterator[Body]:
    """The literals of a text, all at once: aggregates share variables with the others.

    In one that was `printed`, `V + 2` is a sum of values, and `T+2` is a time.
    """
    source = f"function near(a, b). head({head}) :- {text}."
    parsed = parse(Source(source))
    assert not parsed.diagnostics, text
    (rule,) = parsed.document.rules
    if printed:
        lowering = replace(lowering, printed=source)
    return (each for literal in rule.body for each in lowered(literal, lowering))


_NO_STATIC = Vocabulary({})
