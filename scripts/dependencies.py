"""What comes into an environment with antelog: the libraries that it needs, with those that they need.

    runtime()["certifi"]    Library(name="certifi", version="2026.1.4", extras=("watch",))

In comes pyproject.toml, out go the libraries of all extras that users choose, as they are installed here:
others ask what licences these have, and whether holes of them are known.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
FOR_WORK = frozenset({"dev", "docs", "odds"})
"""The extras of those who work on antelog, not of those who use it."""


class MissingError(Exception):
    """A library that is needed is not installed here."""


@dataclass(frozen=True)
class Library:
    """An installed library. `extras` are those that bring it; none: antelog itself needs it."""

    name: str
    version: str
    extras: tuple[str, ...] = ()


def runtime(pyproject: str | None = None) -> dict[str, Library]:
    """The libraries that users get with antelog and its extras, by name. Raises MissingError."""
    project = _project(pyproject)
    always = closure(project["dependencies"])
    by_extra = {extra: closure(needed) for extra, needed in _extras(project)}
    names = sorted(always.union(*by_extra.values()))
    found = {}
    for name in names:
        extras = () if name in always else tuple(each for each in sorted(by_extra) if name in by_extra[each])
        found[name] = Library(name, distribution(name).version, extras)
    return found


def elsewhere(pyproject: str | None = None) -> set[str]:
    """The libraries that are needed with another Python or system than this one."""
    project = _project(pyproject)
    ours = [*project["dependencies"], *(each for _, needed in _extras(project) for each in needed)]
    theirs = [each for name in closure(ours) for each in distribution(name).requires or ()]
    wanted = [Requirement(each) for each in (*ours, *theirs)]
    return {
        canonicalize_name(each.name)
        for each in wanted
        if each.marker is not None and "extra" not in str(each.marker) and not each.marker.evaluate()
    }


def closure(requirements: Iterable[str]) -> set[str]:
    """The names of the libraries that some requirements bring. Raises MissingError."""
    found: set[tuple[str, str]] = set()
    waiting = list(_wanted(requirements, ""))
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in found:
            continue
        found.add((name, extra))
        try:
            needed = distribution(name).requires or ()
        except PackageNotFoundError:
            raise MissingError(
                f"{name} is not installed here, though it is needed; run `make setup`"
            ) from None
        waiting += _wanted(needed, extra)
    return {name for name, _ in found}


def _wanted(requirements: Iterable[str], extra: str) -> Iterator[tuple[str, str]]:
    """Each library that is required here, once without an extra and once for each of its extras."""
    for requirement in map(Requirement, requirements):
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
            yield from ((canonicalize_name(requirement.name), each) for each in ("", *requirement.extras))


def _project(pyproject: str | None) -> dict[str, Any]:
    text = (ROOT / "pyproject.toml").read_text("utf-8") if pyproject is None else pyproject
    project: dict[str, Any] = tomllib.loads(text)["project"]
    return project


def _extras(project: dict[str, Any]) -> list[tuple[str, list[str]]]:
    optional: dict[str, list[str]] = project.get("optional-dependencies", {})
    return [(extra, needed) for extra, needed in optional.items() if extra not in FOR_WORK]
