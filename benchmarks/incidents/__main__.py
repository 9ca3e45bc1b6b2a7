"""`python -m benchmarks.incidents`: what `antelog suggest` finds of planted causes, and on public data."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from benchmarks.incidents import nab, skab, speed
from benchmarks.incidents.planted import CALENDAR, KINDS, PAIRS, SINGLES, found, planted


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.incidents", description=__doc__)
    parser.add_argument("what", choices=("planted", "moved", "nab", "skab", "speed"))
    parser.add_argument("--seeds", type=int, default=20, help="how many worlds of each kind are made")
    parser.add_argument("--first", type=int, default=1, help="the first of the seeds")
    parser.add_argument(
        "--kinds", default="", help="only these, as `avg` or `avg+hour,over`; all, if not given"
    )
    parser.add_argument("--data", type=Path, help="the folder of the data of SKAB")
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.seeds)
    chosen = [tuple(each.split("+")) for each in given.kinds.split(",") if each]
    if given.what == "planted":
        _planted(chosen or [*((each,) for each in SINGLES), *PAIRS], seeds)
    elif given.what == "moved":
        _moved(seeds)
    elif given.what == "nab":
        nab.main()
    elif given.what == "skab":
        if given.data is None:
            parser.error("name the folder with the experiments of SKAB: --data SKAB/data")
        skab.main(given.data)
    else:
        speed.main()
    return 0


def _planted(cases: Sequence[tuple[str, ...]], seeds: Sequence[int]) -> None:
    """How many of the seeds of each kind and pair are found."""
    total = 0
    for kinds in cases:
        right = [found(planted(kinds, seed)).right for seed in seeds]
        total += sum(right)
        missed = ", ".join(str(seed) for seed, fits in zip(seeds, right, strict=True) if not fits)
        print(
            f"{' + '.join(kinds):22} {sum(right):3} of {len(right)}   missed: {missed or 'none'}", flush=True
        )
    print(f"{'all':22} {total} of {len(cases) * len(seeds)}")


def _moved(seeds: Sequence[int]) -> None:
    """How many of the seeds have a proposal, with incidents that have to do with nothing."""
    names = [each for each in KINDS if each not in CALENDAR]
    proposed = [
        bool(found(planted((names[seed % len(names)],), 1000 + seed, moved=True)).proposals) for seed in seeds
    ]
    print(f"incidents at random: something is proposed in {sum(proposed)} of {len(proposed)}")


if __name__ == "__main__":
    sys.exit(main())
