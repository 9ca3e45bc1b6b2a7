"""One attempt of an attack, and what it shows: nothing, or a finding with the case that led to it."""

from __future__ import annotations

import resource
import signal
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from click.testing import CliRunner, Result

from antelog.cli.main import main
from antelog.errors import AntelogError

PATIENCE = 20.0  # Seconds of the processor after which an attempt counts as one that hangs

MOST_MEMORY = 2 << 30  # Bytes of memory; an attempt that takes the process beyond them is a finding

_STOPPED = 3 * PATIENCE  # Seconds after which one is given up


@dataclass(frozen=True)
class Attempt:
    """What is tried: its name, and a function that tries it within some seconds of the processor."""

    name: str
    run: Callable[[], object]
    patience: float = PATIENCE


@dataclass(frozen=True)
class Finding:
    """What went wrong in an attempt, where in the code, and all of the traceback."""

    name: str
    what: str
    place: str
    trace: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}\n    {self.name}"


class _GivenUpError(BaseException):
    """An attempt took too long. It is no Exception, lest somebody catches it."""


def attempt(name: str, run: Callable[[], object], patience: float = PATIENCE) -> Finding | None:
    """The finding of an attempt, if it is one."""
    begun, before = time.process_time(), _memory()
    try:
        with _given_up():
            run()
    except AntelogError as error:
        if "Traceback" in str(error):
            return Finding(name, "a traceback in a message", "", str(error))
    except _GivenUpError as error:
        return _found(name, "hangs", error)
    except Exception as error:
        return _found(name, f"{type(error).__name__}: {error}", error)
    if before <= MOST_MEMORY < _memory():
        return Finding(name, f"takes {_memory() >> 20:,} MiB", "", "")
    taken = time.process_time() - begun
    return Finding(name, f"takes {taken:.0f} s", "", "") if taken > patience else None


def command(*arguments: object) -> Result:
    """Runs `antelog`. Raises what it did not catch, and AssertionError if it ends oddly."""
    done = CliRunner().invoke(main, list(map(str, arguments)))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert "Traceback" not in done.output, done.output[-2000:]
    assert done.exit_code in (0, 1), f"exit status {done.exit_code}: {done.output[-2000:]}"
    return done


def _memory() -> int:
    """The most bytes of memory this process had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def all_of(attempts: Iterable[Attempt]) -> tuple[int, list[Finding]]:
    """How many attempts there were, and what they have found."""
    count, found = 0, []
    for each in attempts:
        count += 1
        finding = attempt(each.name, each.run, each.patience)
        if finding is not None:
            found.append(finding)
    return count, found


def report(count: int, found: Iterable[Finding]) -> Iterator[str]:
    """Lines that say what was found: each place in the code once, with how often and a case."""
    first: dict[tuple[str, str], Finding] = {}
    often: Counter[tuple[str, str]] = Counter()
    for each in found:
        key = each.place, each.what.partition(":")[0]
        first.setdefault(key, each)
        often[key] += 1
    yield f"{count:,} attempts, {often.total():,} findings in {len(first)} places"
    for key, times in often.most_common():
        yield f"{times} times {first[key]}"


def _found(name: str, what: str, error: BaseException) -> Finding:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/antelog/" in frame.filename]
    place = f"{own[-1].filename.rpartition('/antelog/')[2]}:{own[-1].lineno}" if own else ""
    return Finding(name, what[:300], place, "".join(traceback.format_exception(error)))


@contextmanager
def _given_up() -> Iterator[None]:
    """Ends what takes too long, as far as a signal can."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise _GivenUpError

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, _STOPPED)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
