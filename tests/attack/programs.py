"""Odd programs: texts that are nearly rules, or nothing at all."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

import antelog
from tests.attack.findings import Attempt

ROOT = Path(__file__).parents[2]
_PIECES = [
    *("input", "query", "static", "delay", "tick", "chance", "alert", "again", "not", "one", "per", ":-"),
    *("limit", "include", "count", "sum", "last", "distinct", ".."),
    *(".", ",", "(", ")", "<", "<=", "=", "!=", ">", ">=", "+", "-", "%", "_", "T", "T+1", "T-1", "X", "Y"),
    *("Temp", "P", "Q", "q", "high", '"', '"a b"', '"\\n"', "'", "\\", "0", "1", "2", "7.5", "1e400", "-3"),
    *("9" * 30, "9" * 400 + "%", "0.1e-400", "60%", "1000%", "minutes", "seconds", "2 seconds", "%", "#"),
    *("//", "/*", "\n"),
    *("\t", "\r", "\0", "\ufeff", "\u2028", "é", "漢", "🙂", "\u202e", "\ud800", "time", "number", "text"),
]
_RULES = [
    "P(X, T) :- Q(X, T), not P(X, T-1).",
    "input Q(x, time) delay 2.",
    "input Q(x: number, time) delay 10 minutes.",
    *("query P(X, T) alert 80%.", "tick 10 minutes.", "static S(x, y).", "S(a, 1). S(b, 2.5)."),
    *("chance Q(_, _) = 5%, again 80%.", "P(X, T) :- Q(X, T+9007199254740993)."),
    "P(X, Y, T) :- Q(X, T), S(X, Y), X != Y, Y < 7.",
    "P(X, T) :- Q(X, S), Q(X, T), S <= T, T <= S + 3.",
    "P(X, T) :- P(X, T-1), Q(X, T), X >= 45. query P(X, T) window 288.",
    "P(a, T) :- Q(X, T), Q(Y, T), Q(Z, T), Q(V, T), Q(W, T), X != Y, Y != Z, X != Z, V != W, X != W.",
    "input Q(x, time) one per x, time.",
]


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """So many programs to read, and those that are fine to show and to run a step of."""
    random = Random(seed)
    known = [path.read_text("utf-8") for path in _examples()]
    for number in range(count):
        text = _text(random, known)
        yield Attempt(f"program {number} of seed {seed}: {text[:400]!r}", partial(_try, text))


def _examples() -> list[Path]:
    return sorted([*(ROOT / "examples").glob("**/*.alog"), *(ROOT / "tests/errors").glob("*.alog")])


def _try(text: str) -> None:
    program = antelog.parse(text)
    str(program)
    engine = antelog.Engine(program)
    engine.advance(3)
    for query in program.plan.queries:
        engine.answers(query.name)


def _text(random: Random, known: list[str]) -> str:
    match random.randrange(6):
        case 0:
            return " ".join(random.choices(_PIECES, k=random.randrange(40)))
        case 1:
            return "\n".join(random.choices(_RULES, k=random.randrange(1, 8)))
        case 2:
            characters = [chr(random.randrange(1, 0x250)) for _ in range(random.randrange(60))]
            return "".join(characters)
        case _:
            return _mutations(random, known)


def _mutations(random: Random, known: list[str]) -> str:
    text = random.choice(known) if random.randrange(2) else "\n".join(random.sample(_RULES, 6))
    for _ in range(random.randrange(1, 5)):
        text = mutated(text, random, [*_PIECES, *_RULES], known)
    return text


def mutated(text: str, random: Random, pieces: list[str], known: list[str]) -> str:
    """A text that is cut, or has a piece or a part of a known text in it, or parts in another order."""
    at = random.randrange(len(text) + 1)
    end = min(len(text), at + random.choice((1, 2, 5, 12, 100)))
    match random.randrange(8):
        case 0:
            return text[:at] + text[end:]
        case 1:
            return text[:at] + random.choice(pieces) + text[at:]
        case 2:
            return text[:at] + random.choice(pieces) + text[end:]
        case 3:
            return text[:end] + text[at:]
        case 4:
            other = random.choice(known)
            return text[:at] + other[random.randrange(len(other)) :]
        case 5:
            return f"{text}\n{random.choice(pieces)}"
        case 6:
            lines = text.split("\n")
            one = random.randrange(len(lines))
            lines[one] = " " * random.randrange(7) + lines[one].strip()
            return "\n".join(lines)
        case _:
            between = random.choice((" ", "\n"))
            words = text.split(between)
            i, j = random.randrange(len(words)), random.randrange(len(words))
            words[i], words[j] = words[j], words[i]
            return between.join(words)
