"""`python -m benchmarks.reading`: the modules that one reading passes, and the time it takes.

The turbines of examples/turbines, both queries, one reading in each step.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import antelog

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = str(ROOT / "antelog") + "/"
PROGRAM = ROOT / "examples" / "turbines" / "turbines.alog"


def readings() -> Iterator[tuple[int, str, str]]:
    """For each tick a reading: its tick, the turbine, and the level."""
    for tick in range(10**9):
        yield tick, f"wt{tick % 5}", "low" if tick % 7 == 3 else "high"


def modules(warm: int = 20) -> Counter[str]:
    """The calls into each module of the package during one step with one fact."""
    engine, calls = antelog.Engine(antelog.load(PROGRAM)), Counter[str]()

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            calls[frame.f_code.co_filename.removeprefix(PACKAGE)] += 1

    for tick, device, level in readings():
        if tick == warm:
            sys.setprofile(profile)
        engine.advance(tick, {"Temp": [(device, level, tick)]})
        if tick == warm:
            sys.setprofile(None)
            return calls
    raise AssertionError


def milliseconds(steps: int = 1_000) -> list[float]:
    """The time that each step takes."""
    engine, taken = antelog.Engine(antelog.load(PROGRAM)), []
    for tick, device, level in readings():
        if tick == steps:
            break
        began = time.perf_counter()
        engine.advance(tick, {"Temp": [(device, level, tick)]})
        taken.append(1_000 * (time.perf_counter() - began))
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading", description=__doc__)
    parser.add_argument("--steps", type=int, default=1_000)
    given = parser.parse_args()
    passed = modules()
    for name, calls in sorted(passed.items()):
        print(f"{calls:6} {name}")
    print(f"{sum(passed.values()):6} calls in {len(passed)} modules")
    taken = milliseconds(given.steps)
    print(f"{statistics.median(taken):6.2f} ms a step (median), {min(taken):.2f} ms at least")


if __name__ == "__main__":
    main()
