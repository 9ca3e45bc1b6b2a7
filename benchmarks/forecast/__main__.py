"""`python -m benchmarks.forecast`: score forecasts on recorded streams, and make docs/forecast-results.md."""

from __future__ import annotations

import platform
import sys
from argparse import ArgumentParser
from dataclasses import asdict
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


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.forecast", description=__doc__)
    known = (*STREAMS, *MADE, COST)
    names = f"of {', '.join(known)}; all"
    parser.add_argument("names", nargs="*", metavar="NAME", type=one_of(known), help=names)
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    parser.add_argument("--page", action="store_true", help="make the page of what was found before")
    given = parser.parse_args()
    for name in () if given.page else given.names or known:
        if name == COST:
            _keep_costs(given.results)
            continue
        if name in MADE:
            _keep(given.results, "made", name, results.judged_made(MADE[name]))
            continue
        stream = STREAMS[name]
        if not RECORDS[stream.record].there:
            print(f"{name:12} skipped: there is no {FOLDER / RECORDS[stream.record].path}")
            continue
        _keep(given.results, "streams", name, results.judged(stream))
    found = results.read(given.results)
    if not found["streams"]:
        print("nothing is known of any stream, so there is no page")
        return 0
    # A trial with results elsewhere has no business with the documentation.
    docs = page.DOCS if given.results == RESULTS else given.results
    page.write(found, docs)
    print(f"\nwritten to {given.results} and {docs}")
    return 0


def _keep(folder: Path, part: str, name: str, judged: results.Found) -> None:
    """What other runs have written meanwhile stays."""
    versions = {"Python": platform.python_version(), **versions_of(("numpy", "pyarrow", "scikit-learn"))}
    found = results.read(folder)
    found["setting"] = asdict(setting(1, 1, versions))
    found[part][name] = judged
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
