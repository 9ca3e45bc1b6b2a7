"""Options of the commands that measure: names of what there is, a scale, a number of runs, a folder."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeVar

RESULTS = Path(__file__).parent / "results"

_Number = TypeVar("_Number", int, float)


def parser_for(command: str, what: str | None, known: Collection[str], scale: str) -> ArgumentParser:
    """A parser with the options of all; `what` the command does, and what its scale is a share of."""
    parser = ArgumentParser(prog=f"python -m {command}", description=what)
    names = f"of {', '.join(known)}; all"
    parser.add_argument("names", nargs="*", metavar="NAME", type=one_of(known), help=names)
    parser.add_argument("--scale", type=positive(float), default=1.0, help=f"share of {scale}; 1")
    parser.add_argument("--runs", type=positive(int), default=3, help="how often each is measured; 3")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    return parser


def one_of(known: Collection[str]) -> Callable[[str], str]:
    def name(text: str) -> str:
        if text not in known:
            raise ArgumentTypeError(f"there is no {text}; there are {', '.join(known)}")
        return text

    return name


def positive(kind: type[_Number]) -> Callable[[str], _Number]:
    """The type of an option that is a number above zero."""

    def number(text: str) -> _Number:
        value = kind(text)
        if value <= 0:
            raise ArgumentTypeError(f"{text} is not positive")
        return value

    number.__name__ = "number"  # argparse has it in its message where `kind` refuses the text
    return number
