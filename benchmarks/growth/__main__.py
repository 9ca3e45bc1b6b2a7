"""`python -m benchmarks.growth`: measure how cost grows, and write `docs/growth.md` with its pictures."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.growth import results
from benchmarks.growth.curves import CURVES, Curve
from benchmarks.growth.measuring import measure
from benchmarks.growth.results import FOLDER, Point


def main() -> int:
    known = list(CURVES)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}; all")
    parser.add_argument(
        "--scale", type=float, default=1.0, help="share of the facts, and of the largest size; 1"
    )
    parser.add_argument("--runs", type=int, default=3, help="how often what is cheap is measured; 3")
    parser.add_argument("--results", type=Path, default=FOLDER, help="the folder to write to")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in known]
    if unknown:
        parser.error(f"there is no {unknown[0]}; there are {', '.join(known)}")
    if given.scale <= 0 or given.runs < 1:
        parser.error("scale and runs must be positive")
    right = True
    for name in given.names or known:
        at = results.where(given.scale, given.runs)
        points = measured(CURVES[name], given.scale, given.runs)
        found = results.read(given.results)
        found["curves"][name] = results.as_found(points, at)
        results.write(given.results, found)
        right &= not any(run.wrong for point in points for run in point.runs)
    return 0 if right else 1


def measured(curve: Curve, scale: float, runs: int) -> list[Point]:
    points = []
    for size in curve.within(scale):
        found = measure(curve.name, size, scale, runs)
        points.append(Point(size, tuple(found)))
        middle = points[-1].middle
        print(
            f"{curve.name:18} {size:12,} {middle(lambda r: r.compile):8.3f} s to compile "
            f"{middle(lambda r: r.seconds):9.3f} s to run {points[-1].memory / 1e6:8.1f} MB "
            f"{' '.join(run.wrong for run in found)}".rstrip(),
            flush=True,
        )
    return points


if __name__ == "__main__":
    sys.exit(main())
