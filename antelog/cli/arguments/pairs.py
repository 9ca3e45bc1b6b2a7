"""`P=FILE` on the command line: which predicate has its facts in which file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import click

from antelog.cli.arguments.reading import sides
from antelog.compile.nodes.plan import Plan
from antelog.files import form_of
from antelog.files.naming import ENDINGS
from antelog.language.checks.suggestions import did_you_mean

T = TypeVar("T")


@dataclass(frozen=True)
class Pair(Generic[T]):
    predicate: str
    file: T


def pair(text: str) -> Pair[Path]:
    """`P=FILE` as a pair. Raises BadParameter if it is none, or the file has no known ending."""
    predicate, file = sides(text)
    if not (predicate and file):
        path = Path(file or predicate or "temp.csv")
        example = f"{path.stem.title()}={path}" if path.suffix else f"{path}=FILE"
        raise click.BadParameter(f"`{text}` is not of the form P=FILE; write it like {example}")
    if form_of(Path(file)) is None:
        raise click.BadParameter(f"`{file}` has an ending that tells no form of file; there are {ENDINGS}")
    return Pair(predicate, Path(file))


def files_of_inputs(plan: Plan, pairs: Sequence[Pair[T]]) -> dict[str, T]:
    """The file of each input that has one. Raises BadParameter for a pair the program has no use for."""
    return _files(plan, pairs, "--input")


def files_of_statics(plan: Plan, pairs: Sequence[Pair[T]]) -> dict[str, T]:
    """The file of each static predicate that has one. Raises BadParameter as `files_of_inputs`."""
    return _files(plan, pairs, "--static")


def _files(plan: Plan, pairs: Sequence[Pair[T]], option: str) -> dict[str, T]:
    files: dict[str, T] = {}
    known = _names(plan)[option]
    for each in pairs:
        if each.predicate in files:
            raise click.BadParameter(f"{each.predicate} is given twice; it has one file", param_hint=option)
        if each.predicate not in known:
            raise click.BadParameter(_unknown(plan, each, option), param_hint=option)
        files[each.predicate] = each.file
    return files


def _names(plan: Plan) -> dict[str, list[str]]:
    return {"--input": [each.name for each in plan.inputs], "--static": [each.name for each in plan.statics]}


def _unknown(plan: Plan, given: Pair[T], option: str) -> str:
    names, name = _names(plan), given.predicate
    what = "input" if option == "--input" else "static predicate"
    other = next((each for each, known in names.items() if name in known), None)
    if other is not None:
        hint = f"Give its facts with {other} {name}={given.file}"
    elif any(name == relation.predicate for relation in plan.relations):
        hint = "The rules derive it from others."
    else:
        hint = did_you_mean(name, names[option]) or f"Known are: {', '.join(names[option]) or 'none'}."
    return f"the program has no {what} {name}. {hint}"
