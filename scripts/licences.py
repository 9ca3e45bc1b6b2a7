"""The licences of all libraries that users get with antelog, as a page that has to be current.

    python -m scripts.licences            says what is wrong, with status 1
    python -m scripts.licences --write    makes docs/licences.md anew

In comes what the installed libraries say of themselves, and scripts/accepted.toml with the licences that are
allowed. A licence that is unknown, or asks for more than naming it, is found before somebody ships it.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import metadata

from scripts.dependencies import ROOT, Library, MissingError, elsewhere, runtime

PAGE = ROOT / "docs" / "licences.md"
ACCEPTED = ROOT / "scripts" / "accepted.toml"
VENDORED = (
    (ROOT / "antelog" / "watch" / "web" / "vendored" / "vendored.toml", "a script of the page"),
    (ROOT / "antelog" / "theme" / "fonts" / "fonts.toml", "a font"),
)
_LONGEST = 60
"""A field with more characters than this is a licence's whole text, not its name."""
_HEAD = """\
# Licences

antelog is under the [Apache License 2.0](https://www.apache.org/licenses/LICENSE-2.0). These are the
libraries that come with it, each under a licence of its own, as the library itself says. Without an extra,
`pip install antelog`, you get the first ones only; scripts of the page and fonts are part of the package
itself. `make licences` makes this page; `make check` sees that it is current, and
that no licence is in it that `scripts/accepted.toml` does not allow.

| library | licence | comes with |
| --- | --- | --- |
"""


@dataclass(frozen=True)
class Allowed:
    """What may be: licences for all, the ways they are written, and licences of single libraries."""

    licences: frozenset[str]
    names: Mapping[str, str]
    exceptions: Mapping[str, str]


def allowed(text: str) -> Allowed:
    """What scripts/accepted.toml allows. Each exception needs a reason."""
    table = tomllib.loads(text)["licences"]
    exceptions = table.get("exceptions", {})
    for name, exception in exceptions.items():
        if not exception.get("reason"):
            raise SystemExit(
                f"scripts/accepted.toml: the exception for {name} has no reason; say why it may be"
            )
    return Allowed(
        frozenset(table["allowed"]),
        table.get("names", {}),
        {name: exception["licence"] for name, exception in exceptions.items()},
    )


def licence(expression: str, field: str, classifiers: Iterable[str], names: Mapping[str, str]) -> str:
    """What a library says its licence is, in the words of SPDX as far as they are known; "" for nothing."""
    classified = [each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License :: ")]
    short = field if len(field) <= _LONGEST and "\n" not in field else ""
    said = [expression] if expression else [short] if short else classified
    return " AND ".join(names.get(each, each) for each in said)


def is_allowed(name: str, found: str, accepted: Allowed) -> bool:
    """Whether a library may have this licence: one of several with OR, all of them with AND."""
    if accepted.exceptions.get(name) == found:
        return True
    return any(
        all(part.strip() in accepted.licences for part in choice.split(" AND "))
        for choice in found.split(" OR ")
    )


def licences(libraries: Iterable[Library], accepted: Allowed) -> dict[str, str]:
    """The licence of each library, by its name."""
    found = {}
    for library in libraries:
        said = metadata(library.name)
        found[library.name] = licence(
            "".join(said.get_all("License-Expression") or ()),
            "".join(said.get_all("License") or ()),
            said.get_all("Classifier") or (),
            accepted.names,
        )
    return found


def lines(libraries: Iterable[Library], found: Mapping[str, str]) -> dict[str, str]:
    """The lines of the page, by library: those that are always there come first."""
    ordered = sorted(libraries, key=lambda each: (bool(each.extras), each.name))
    return {
        each.name: f"| {each.name} | {found[each.name]} | "
        f"{', '.join(f'`[{extra}]`' for extra in each.extras) or 'always'} |"
        for each in ordered
    }


def vendored(text: str) -> dict[str, str]:
    """The licences of the scripts or fonts in the package, by name."""
    return {name: each["licence"] for name, each in tomllib.loads(text).items()}


def complaints(wanted: Mapping[str, str], page: str, others: Iterable[str]) -> Iterator[str]:
    """In what a page differs from its lines. It may have lines of libraries for other systems."""
    table = page.partition("| --- |")[2].splitlines()[1:]
    rows = {line.split("|")[1].strip(): line for line in table if line.startswith("| ")}
    yield from (f"{name} is missing" for name in wanted if name not in rows)
    for name, line in rows.items():
        if name not in wanted and name not in others:
            yield f"{name} is needed no more"
        elif name in wanted and wanted[name] != line:
            yield f"{name} is `{line}`, and should be `{wanted[name]}`"


def main(arguments: list[str]) -> int:
    """Writes the page or checks it. The status is 1 if something is wrong."""
    accepted = allowed(ACCEPTED.read_text("utf-8"))
    try:
        libraries = runtime()
    except MissingError as error:
        print(f"licences: {error}")
        return 1
    found = licences(libraries.values(), accepted)
    kinds: dict[str, str] = {}
    for path, kind in VENDORED:
        there = vendored(path.read_text("utf-8"))
        found, kinds = found | there, kinds | dict.fromkeys(there, kind)
    wrong = [
        f"{name} is under {said or 'no licence that it names'}, which scripts/accepted.toml does not allow; "
        "do without it, or allow it there and say why"
        for name, said in found.items()
        if not is_allowed(name, said, accepted)
    ]
    wanted = lines(libraries.values(), found)
    wanted |= {name: f"| {name} | {found[name]} | {kind} |" for name, kind in kinds.items()}
    if "--write" in arguments:
        PAGE.write_text(_HEAD + "\n".join(wanted.values()) + "\n", "utf-8")
    else:
        page = PAGE.read_text("utf-8") if PAGE.exists() else ""
        stale = list(complaints(wanted, page, elsewhere()))
        wrong += [f"docs/licences.md: {each}; run `make licences`" for each in stale]
    print(*(f"licences: {each}" for each in wrong or [f"{len(found)} libraries, all allowed"]), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
