"""`python -m benchmarks.wayeb`: measure forecasts beside Wayeb's, and make docs/beside-wayeb.md."""

from __future__ import annotations

import json
import platform
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path

from benchmarks.options import RESULTS, one_of
from benchmarks.report import LIBRARIES, setting, versions_of
from benchmarks.wayeb import page
from benchmarks.wayeb.measuring import KINDS, SIZES, Found, costs, quality

PARTS = (*SIZES, *KINDS)


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.wayeb", description=__doc__)
    names = f"of {', '.join(PARTS)}; all"
    parser.add_argument("names", nargs="*", metavar="NAME", type=one_of(PARTS), help=names)
    parser.add_argument("--rounds", type=int, default=3, help="of how many rounds the medians are")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    parser.add_argument("--page", action="store_true", help="make the page of what was found before")
    given = parser.parse_args()
    file = given.results / "wayeb.json"
    for name in () if given.page else given.names or PARTS:
        measured = costs(name, given.rounds) if name in SIZES else quality(name)
        # What was found of other parts meanwhile stays.
        found = read(file)
        found[name] = {**measured, "setting": _setting(given.rounds)}
        given.results.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    found = read(file)
    if not set(found) & set(SIZES) or not set(found) & set(KINDS):
        print(f"for the page costs ({', '.join(SIZES)}) and quality ({', '.join(KINDS)}) have to be known")
        return 0
    docs = page.DOCS if given.results == RESULTS else given.results
    (docs / page.NAME).write_text(page.as_markdown(found), encoding="utf-8")
    print(f"written to {file} and {docs / page.NAME}")
    return 0


def read(file: Path) -> Found:
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}


def _setting(rounds: int) -> Found:
    versions = {"Python": platform.python_version(), **versions_of(LIBRARIES)}
    return asdict(setting(1, rounds, versions))


if __name__ == "__main__":
    sys.exit(main())
