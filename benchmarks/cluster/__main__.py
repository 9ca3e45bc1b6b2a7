"""`python -m benchmarks.cluster`: run pipelines on several workers, and write what was found."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.cluster.cases import CASES, write
from benchmarks.cluster.measuring import Ran, run
from benchmarks.options import parser_for
from benchmarks.report import setting, versions_of

LIBRARIES = ("pyspark", "pyarrow", "pandas", "numpy")


def main() -> int:
    parser = parser_for("benchmarks.cluster", __doc__, CASES, "the sensors")
    given = parser.parse_args()
    found = []
    for name in given.names or CASES:
        with tempfile.TemporaryDirectory(prefix="antelog-", ignore_cleanup_errors=True) as folder:
            case = CASES[name]
            ran = run(case, write(case, Path(folder) / "given", given.scale), Path(folder))
        found.append(ran)
        print(_line(ran), flush=True)
    where = asdict(setting(given.scale, 1, versions_of(LIBRARIES)))
    given.results.mkdir(parents=True, exist_ok=True)
    results = json.dumps({**where, "runs": [asdict(ran) for ran in found]}, indent=2)
    (given.results / "cluster.json").write_text(results + "\n")
    return 1 if any(ran.wrong for ran in found) else 0


def _line(ran: Ran) -> str:
    """A line of the table in `docs/scaling.md`."""
    executors, workers, state = (f"{size / 1e6:,.0f} MB" for size in (ran.executors, ran.workers, ran.state))
    figures = (f"{ran.facts:,}", f"{ran.cpu:.0f}", f"{ran.facts / ran.cpu:,.0f}", f"{ran.longest:.2f}")
    return " | ".join(["|", CASES[ran.name].what, *figures, executors, workers, state, ran.wrong]) + " |"


if __name__ == "__main__":
    sys.exit(main())
