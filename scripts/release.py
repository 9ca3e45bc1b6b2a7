"""What a release needs: archives with all that belongs in them, one version, and what is new in it.

    python -m scripts.release dist         looks into the archives that `python -m build` made
    python -m scripts.release notes        prints the changelog's section of this version
    python -m scripts.release tag v0.1.0   sees that a tag is the one of this version, and that the texts say
                                           `pip install antelog` where the variable PUBLISH is `yes`
    python -m scripts.release published    rewrites the texts so that they do

In come pyproject.toml, which is the one place of the version, CHANGELOG.md and the folder of archives; out
goes what is wrong with them, with status 1, before anybody can install it.
"""

from __future__ import annotations

import os
import re
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from scripts import published

ROOT = Path(__file__).resolve().parent.parent
_SECTION = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<date>\d{4}-\d\d-\d\d))?$", re.MULTILINE)
_NOT_SHIPPED = ("tests/", "benchmarks/", "scripts/")


def version(root: Path = ROOT) -> str:
    """The version, from the one place where it stands."""
    found: str = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return found


def sections(changelog: str) -> dict[str, tuple[str | None, str]]:
    """The date and the text of each version in the changelog, newest first."""
    heads = list(_SECTION.finditer(changelog))
    ends = [head.start() for head in heads[1:]] + [len(changelog)]
    return {
        head["version"]: (head["date"], changelog[head.end() : end].strip())
        for head, end in zip(heads, ends, strict=True)
    }


def notes(changelog: str, wanted: str) -> str:
    """What is new in a version. Raises ValueError if the changelog does not say, or has no date for it."""
    date, text = sections(changelog).get(wanted, (None, ""))
    if date is None or not text:
        raise ValueError(f"CHANGELOG.md has no section `## [{wanted}] - DATE` with what is new in it")
    return text


def shipped(root: Path = ROOT) -> set[str]:
    """The files of the package, of whatever kind, as paths from the project's folder."""
    return {
        path.relative_to(root).as_posix()
        for path in (root / "antelog").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def complaints(archive: str, members: Iterable[str], wanted: Iterable[str]) -> Iterator[str]:
    """What an archive lacks, or has and should not have."""
    there = set(members)
    yield from (f"{archive} lacks {path}" for path in sorted(set(wanted) - there))
    yield from (f"{archive} has {path}" for path in sorted(there) if path.startswith(_NOT_SHIPPED))
    if not any(path.rpartition("/")[2] == "LICENSE" for path in there):
        yield f"{archive} lacks the licence"


def members(archive: Path) -> set[str]:
    """The files in an archive, as paths from the project's folder."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return set(wheel.namelist())
    with tarfile.open(archive) as source:
        return {each.name.partition("/")[2] for each in source.getmembers() if each.isfile()}


def archives(folder: Path, root: Path = ROOT) -> list[str]:
    """What is wrong with the archives of this version in a folder."""
    now = version(root)
    names = (f"antelog-{now}-py3-none-any.whl", f"antelog-{now}.tar.gz")
    found = [f"{folder / name} is not there" for name in names if not (folder / name).is_file()]
    if found:
        return found
    wanted = shipped(root)
    return [each for name in names for each in complaints(name, members(folder / name), wanted)]


def main(arguments: list[str]) -> int:
    """Does what the first argument says. The status is 1 if something is wrong, 2 for other words."""
    wrong: list[str] = []
    match arguments:
        case ["dist"]:
            wrong = archives(ROOT / "dist")
        case ["notes"]:
            try:
                print(notes((ROOT / "CHANGELOG.md").read_text("utf-8"), version()))
            except ValueError as error:
                wrong = [str(error)]
        case ["tag", tag]:
            if tag != f"v{version()}":
                wrong = [
                    f"the tag is {tag}, but pyproject.toml has version {version()}; one of them is wrong"
                ]
            if os.environ.get("PUBLISH") == "yes" and published.left_over(published.texts()):
                wrong.append(
                    "PUBLISH is yes, but texts say otherwise: run python -m scripts.release published"
                )
        case ["published"]:
            print(*published.rewrite(), sep="\n")
            wrong = published.left_over(published.texts())
        case _:
            print(__doc__)
            return 2
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
