"""Far times: facts of 1970, of the year 9999 or of none between those of one day, through all that runs."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import re
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random

import antelog
from antelog.cli.main import main
from tests.attack.findings import MOST_MEMORY, PATIENCE, Attempt

_RULES = """
{tick}input Temp(device, level, time) delay 1.{delay}
static Turbine(device). Turbine(wt2). Turbine(wt4).
Flag(X, T) :- Temp(X, high, T).
Shdn(X, T+2) :- Flag(X, T), Flag(X, T+1), Flag(X, T+2).
OK(X, T-2) :- Turbine(X), not Shdn(X, T).
Calm(X, T) :- Temp(X, low, T), not Flag(X, T+1).
{queries}
"""
_TICKS = ("tick 1 second.\n", "tick 10 minutes.\n", "tick 10 minutes.\n", "tick 1 day.\n", "")
_DELAYS = ("", "", " delay Temp(wt4, _, _) = 2.")
_QUERIES = (
    "query OK(X, T).",
    "query Calm(X, T). query Shdn(X, T).",
    "query OK(X, T). query Calm(X, T).",
    "query OK(X, T) alert 50%.",
)
_NEAR = tuple(f"2024-01-01 00:{minute:02}" for minute in (0, 10, 20, 30, 50))
_FAR = (
    *("1970-01-01 00:00", "1970-01-01", "1969-12-31 23:59:59", "0001-01-01", "1900-03-01", "1582-10-10"),
    *("2124-01-01", "2262-04-12", "9999-12-31 23:59:59", "2024-06-01", "2038-01-19 03:14:08"),
    *("0", "-1", "1", "1704067200", "1704067200000", "253402300799", "1000000000", "9223372036854775807"),
)
_RUNS = 3  # the runs of one attempt with `watch`, at most
_MACHINE = multiprocessing.get_context("forkserver")
_MACHINE.set_forkserver_preload(["pandas", "antelog.cli.commands.watch", __name__])


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """So many streams: half through `try`, others through `watch` and engines; of a hundred, one grows."""
    for number in range(count):
        run = (tried, tried, tried, tried, watched, watched, watched, advanced, advanced, advanced)[
            number % 10
        ]
        if number % 100 == 99:
            run = grown
        patience = PATIENCE * (_RUNS if run is watched else 1)
        yield Attempt(f"{run.__name__} {seed}.{number}", partial(run, Random(f"{seed}.{number}")), patience)


def tried(random: Random) -> None:
    """`antelog try` with the facts, perhaps up to a far tick."""
    with tempfile.TemporaryDirectory(prefix="antelog-attack-") as name:
        folder = _folder(Path(name), random, random.choice(_TICKS))
        options = [*_clock(random), *random.choice((["--format", "table"], ["--snapshots"], [], []))]
        if random.randrange(3) == 0:
            options += ["--until", random.choice((*_FAR, "1000000", "100000000"))]
        if random.randrange(4) == 0:
            options += ["--since", random.choice((*_FAR, *_NEAR))]
        options += random.choice(([], [], [], ["--model", "learn"]))
        _write(folder, _lines(random))
        _run("try", folder, options)


def watched(random: Random) -> None:
    """`antelog watch --once` with the facts, and again when there are more, with a state."""
    with tempfile.TemporaryDirectory(prefix="antelog-attack-") as name:
        folder = _folder(Path(name), random, random.choice(_TICKS))
        options = ["--no-page", "--once", "--output", str(folder / "out.jsonl"), *_clock(random)]
        options += random.choice(([], ["--lag", "1000000"], ["--ahead", "100 days"], ["--ahead", "1 second"]))
        options += random.choice(([], ["--model", "learn"]))
        if random.randrange(2):
            options += ["--state", str(folder / "state")]
        for _ in range(random.randrange(_RUNS) + 1):
            _write(folder, _lines(random))
            _run("watch", folder, options)


def advanced(random: Random) -> None:
    """An engine that goes on to far ticks with facts about others."""
    with tempfile.TemporaryDirectory(prefix="antelog-attack-") as name:
        program = antelog.load(_folder(Path(name), random, random.choice(_TICKS)) / "rules.alog")
    engine = antelog.Engine(program, model=random.choice((None, "learn")))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", antelog.DataWarning)
        for _ in range(random.randrange(1, 5)):
            rows = [
                (random.choice(("wt2", "wt4")), random.choice(("high", "low")), _moment(random))
                for _ in range(random.randrange(4))
            ]
            with suppress(antelog.AntelogError):
                engine.advance(_moment(random), {"Temp": rows})
                engine = antelog.Engine.restore(engine.to_bytes())
            with suppress(antelog.AntelogError):
                antelog.draw([engine.advance(engine.now + 1, {})])


def grown(random: Random) -> None:
    """Runs `antelog watch` while its file grows, and ends it by a signal."""
    with tempfile.TemporaryDirectory(prefix="antelog-attack-") as name:
        folder = _folder(Path(name), random, random.choice(_TICKS))
        options = ["--no-page", "--output", str(folder / "out.jsonl"), *_clock(random)]
        process = _MACHINE.Process(target=_watch, args=(folder, options), daemon=True)
        process.start()
        for _ in range(4):
            _write(folder, _lines(random))
            time.sleep(random.uniform(0.2, 1))  # noqa: TID251 - rows come at any moment; nothing is waited for
        memory = _most_memory(process.pid)
        process.terminate()
        process.join(PATIENCE)
        if process.is_alive():
            process.kill()
            process.join()
            raise TimeoutError("a signal does not end it")
        said = (folder / "said").read_text(errors="replace") if (folder / "said").exists() else ""
        assert "Traceback" not in said, said[-2000:]
        assert memory <= MOST_MEMORY, f"takes {memory >> 20:,} MiB"


def _folder(folder: Path, random: Random, tick: str) -> Path:
    texts = {"tick": tick, "delay": random.choice(_DELAYS), "queries": random.choice(_QUERIES)}
    (folder / "rules.alog").write_text(_RULES.format(**texts))
    (folder / "Temp.csv").write_text("device,level,time\n")
    return folder


def _clock(random: Random) -> list[str]:
    return random.choice(([], [], ["--clock", "event"], ["--clock", "processing"]))


def _moment(random: Random) -> str | int:
    text = random.choice(_NEAR if random.randrange(2) else _FAR)
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def _lines(random: Random) -> str:
    """Facts about one day, with a few about far times among them."""
    here = random.choice((_NEAR, _NEAR, tuple(map(str, range(5)))))
    times = [*random.sample(here, random.randrange(1, 5)), *random.sample(_FAR, random.choice((1, 1, 2, 3)))]
    if random.randrange(2):
        times.sort()
    return "".join(f"{random.choice(('wt2', 'wt4'))},{random.choice(('high', 'low'))},{at}\n" for at in times)


def _write(folder: Path, lines: str) -> None:
    with (folder / "Temp.csv").open("a") as file:
        file.write(lines)


def _run(command: str, folder: Path, options: list[str]) -> None:
    said, status = io.StringIO(), None
    arguments = [command, str(folder / "rules.alog"), "--input", f"Temp={folder}/Temp.csv", *options]
    with (
        Path(os.devnull).open("w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(said),
    ):
        try:
            main(arguments)
        except SystemExit as ended:
            status = ended.code
    assert status in (0, 1, 2, None), f"exit status {status}: {said.getvalue()[-2000:]}"
    assert "Traceback" not in said.getvalue(), said.getvalue()[-2000:]


def _watch(folder: Path, options: list[str]) -> None:
    said = os.open(folder / "said", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(said, 1)
    os.dup2(said, 2)
    main(["watch", str(folder / "rules.alog"), "--input", f"Temp={folder}/Temp.csv", *options])


def _most_memory(process: int | None) -> int:
    """The most bytes of memory that a process had so far; 0 if it has ended."""
    with suppress(OSError):
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
        return int(found.group(1)) << 10 if found else 0
    return 0
