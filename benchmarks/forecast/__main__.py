"""`python -m benchmarks.forecast`: score forecasts on streams, and make docs/forecast-results.md."""

from __future__ import annotations

import platform
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path

from benchmarks.forecast import page, results
from benchmarks.forecast.cost import ROUNDS, costs
from benchmarks.forecast.made import MADE
from benchmarks.forecast.records import FOLDER, RECORDS
from benchmarks.forecast.streams import STREAMS
from benchmarks.options import RESULTS, one_of
from benchmarks.report import setting, versions_of

COST = "cost"
"""Not a stream, but what chances cost."""

ALL = "all"


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.forecast", description=__doc__)
    known = (*STREAMS, *MADE, COST)
    names = f"of {', '.join(known)}; or {ALL}, but those that were scored at this commit before"
    parser.add_argument("names", nargs="*", metavar="NAME", type=one_of((*known, ALL)), help=names)
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    parser.add_argument("--page", action="store_true", help="make the page of what was found before")
    given = parser.parse_args()
    every = not given.names or ALL in given.names
    for name in () if given.page else known if every else given.names:
        if every and _is_known(given.results, name):
            continue
        if name == COST:
            _keep_costs(given.results)
        elif name in MADE:
            _keep(given.results, "made", name, partial(results.judged_made, MADE[name]))
        elif RECORDS[(stream := STREAMS[name]).record].there:
            _keep(given.results, "streams", name, partial(results.judged, stream))
        else:
            print(f"{name:12} skipped: there is no {FOLDER / RECORDS[stream.record].path}")
    found = results.read(given.results)
    if not found["streams"]:
        print("nothing is known of any stream, so there is no page")
        return 0
    # A trial with results elsewhere has no business with the documentation.
    docs = page.DOCS if given.results == RESULTS else given.results
    page.write(found, docs)
    print(f"\nwritten to {given.results} and {docs}")
    return 0


def _is_known(folder: Path, name: str) -> bool:
    """Whether it was scored at this commit before, so that a run that was stopped goes on."""
    found = results.read(folder)
    before = found.get(COST) if name == COST else {**found["streams"], **found["made"]}.get(name)
    return before is not None and before.get("commit") == setting(1, 1).commit


def _keep(folder: Path, part: str, name: str, judge: Callable[[], results.Found]) -> None:
    """What other runs have written meanwhile stays."""
    began = time.process_time()
    judged = judge()
    versions = {"Python": platform.python_version(), **versions_of(("numpy", "pyarrow", "scikit-learn"))}
    found, here = results.read(folder), setting(1, 1, versions)
    found["setting"] = asdict(here)
    found[part][name] = {"commit": here.commit, "seconds": round(time.process_time() - began, 1), **judged}
    results.write(folder, found)
    scores = (f"{judge} {each['brier']:.4f} {each['log']:.4f}" for judge, each in judged["scores"].items())
    print(f"{name:12} {judged['lines']:6,} lines  {'  '.join(scores)}", flush=True)


def _keep_costs(folder: Path) -> None:
    """What chances cost, beside what was found of streams."""
    measured = costs()
    found = results.read(folder)
    # It may be measured at another time than the streams were replayed, and on another machine.
    own = setting(1, ROUNDS)
    found.setdefault("setting", asdict(own))
    found[COST] = {"streams": measured, "date": own.date, "commit": own.commit, "cpu": own.cpu}
    results.write(folder, found)
    print(f"{COST:12} {measured}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
