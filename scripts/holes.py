"""Known holes of the libraries that users get with antelog, as the index of packages tells them.

    python -m scripts.holes

In come the installed versions, and scripts/accepted.toml with what does not matter here; out goes a line for
each hole that does, with status 1. Where the index cannot be reached, one line says so and nothing fails:
whoever works on a train can still check their work.
"""

from __future__ import annotations

import json
import sys
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from scripts.dependencies import ROOT, Library, MissingError, runtime

# Which index is asked by default is for pip to say; it has no public name for it.
INDEX: str = import_module("pip._internal.models.index").PyPI.pypi_url
ACCEPTED = ROOT / "scripts" / "accepted.toml"
_SECONDS = 5
_AT_ONCE = 8


class UnreachableError(Exception):
    """The index does not answer; the message says why."""


@dataclass(frozen=True)
class Hole:
    """A hole of one version of a library, under all its names, and the versions without it."""

    library: str
    version: str
    names: tuple[str, ...]
    fixed: tuple[str, ...]

    def __str__(self) -> str:
        others = f" ({', '.join(self.names[1:])})" if self.names[1:] else ""
        repair = f"fixed in {', '.join(self.fixed)}" if self.fixed else "not fixed in any version yet"
        return f"{self.library} {self.version}: {self.names[0]}{others}, {repair}"


def known(library: Library, index: str = INDEX) -> list[Hole] | None:
    """The holes of an installed library; None if the index does not know it in this version.

    Raises UnreachableError. Some copies of the index tell of the newest version only.
    """
    page = _page(f"{index}/{library.name}/{library.version}/json")
    if page is None:
        page = _page(f"{index}/{library.name}/json")
        if page is None or page.get("info", {}).get("version") != library.version:
            return None
    if "vulnerabilities" not in page:
        return None
    return [
        Hole(
            library.name,
            library.version,
            (each["id"], *each.get("aliases", ())),
            tuple(each.get("fixed_in", ())),
        )
        for each in page["vulnerabilities"]
        if not each.get("withdrawn")
    ]


def _page(url: str) -> dict[str, Any] | None:
    """What the index says at an address; None if there is nothing. Raises UnreachableError."""
    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
            page: dict[str, Any] = json.load(answer)
            return page
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        raise UnreachableError(f"it answers {error.code}") from None
    except urllib.error.URLError as error:
        raise UnreachableError(str(error.reason)) from None
    except (OSError, ValueError) as error:  # it falls silent, or what it says is no JSON
        raise UnreachableError(str(error) or type(error).__name__) from None


def all_known(libraries: Iterable[Library], index: str = INDEX) -> dict[Library, list[Hole] | None]:
    """The holes of each library. The first one is asked alone: if nobody answers, that is all the wait."""
    first, *rest = libraries
    found = {first: known(first, index)}
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found.update(zip(rest, pool.map(lambda each: known(each, index), rest), strict=True))
    return found


def accepted(text: str) -> dict[str, str]:
    """The holes that do not matter here, by name, each with its library. Each needs a reason."""
    table: Mapping[str, Mapping[str, str]] = tomllib.loads(text).get("holes", {})
    for name, each in table.items():
        if not each.get("reason") or not each.get("library"):
            raise SystemExit(
                f"scripts/accepted.toml: {name} needs a library, and a reason why it does not matter"
            )
    return {name: each["library"] for name, each in table.items()}


def report(found: Mapping[Library, list[Hole] | None], ignored: Mapping[str, str]) -> tuple[list[str], int]:
    """The lines to print, and the status."""
    unknown = [f"{library.name} {library.version}" for library, holes in found.items() if holes is None]
    if len(unknown) == len(found):
        return ["holes: skipped, the index tells nothing of these versions"], 0
    holes = [each for several in found.values() for each in several or ()]
    open_ones = [each for each in holes if not any(ignored.get(name) == each.library for name in each.names)]
    met = {name for each in holes for name in each.names}
    said = [
        f"holes: {each}; update it, or accept it in scripts/accepted.toml with a reason" for each in open_ones
    ]
    if not open_ones:
        said = [f"holes: none known of {len(found) - len(unknown)} libraries"]
    if unknown:
        said.append(f"holes: the index tells nothing of {', '.join(unknown)}")
    said += [f"holes: {name} is accepted, but nothing has it any more" for name in ignored if name not in met]
    return said, 1 if open_ones else 0


def main(index: str = INDEX) -> int:
    """Prints what is known. The status is 1 if there is a hole that nobody accepted."""
    ignored = accepted(ACCEPTED.read_text("utf-8"))
    try:
        found = all_known(runtime().values(), index)
    except MissingError as error:
        print(f"holes: {error}")
        return 1
    except UnreachableError as error:
        print(f"holes: skipped, {index} cannot be reached ({error})")
        return 0
    said, status = report(found, ignored)
    print(*said, sep="\n")
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
