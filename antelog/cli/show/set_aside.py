"""The summary of rows that were set aside, at the end of a run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import accumulate
from pathlib import Path

from antelog.accounts import FAILED, FATES, Counts
from antelog.cli.show.terminal import say
from antelog.compile.show.explain import counted
from antelog.errors import OutputError
from antelog.escaping import shown
from antelog.files import Reject, Rejects, rejects_to
from antelog.language.durations import duration_text, long_duration_text
from antelog.language.moments import Timescale, moment, moment_near, tick_in_words
from antelog.process import Engine


def lost_in_ticks(rejects: Rejects, engine: Engine, *, few: bool = False) -> Iterator[str]:
    """Sentences about inputs that lose many facts to others of their tick; with `few`, any counted ones."""
    for name, counts in engine.counts.items():
        lost, is_counted = counts.conflicting + counts.repeated, name in counted(engine.plan)
        if 100 * lost > counts.given or (few and is_counted and counts.repeated):
            kinds = " or ".join(kind for kind in ("conflicting", "repeated") if getattr(counts, kind))
            are, its = ("is", "its") if lost == 1 else ("are", "their")
            words = f"{lost:,} of {number(counts.given, 'fact')} of {shown(name)} {are} {kinds} in {its} tick"
            if (gap := rejects.gaps.get(name)) is not None:
                unit = next(each for each in (1_000_000, 1_000, 1) if gap >= each)
                words += f"; `tick {duration_text(gap // unit * unit)}.` would keep them apart"
            if is_counted and counts.repeated:
                words += f"; with a column more and --map {shown(name)}.COLUMN=@row each row is counted"
            yield words


def say_what_was_read(rejects: Rejects, engine: Engine) -> None:
    """Prints the number of rows and their fates, after warnings about inputs that lose many."""
    for words in lost_in_ticks(rejects, engine, few=True):
        say(f"warning: {words}")
    counts = sum(engine.counts.values(), Counts(**rejects.tally))
    say(f"done: {facts({'given': counts.given, **asdict(counts)})}")


def say_what_was_dropped(engine: Engine) -> None:
    for row in engine.dropped.to_pylist():
        count = "1 fact" if row["facts"] == 1 else f"{row['facts']} facts"
        ticks = _span(row["first"], row["last"], engine.plan.timescale)
        say(
            f"warning: {count} of {row['input']} about {ticks} had to be dropped; a larger --limit keeps more"
        )


def say_what_was_left_out(engine: Engine) -> None:
    """Prints how many lines of open answers were left out as unlikely or too many."""
    for row in engine.left_out.to_pylist():
        if row["lines"]:
            were = "was" if row["lines"] == 1 else "were"
            lines = f"{number(row['lines'], 'line')} of {row['query']} {were} left out"
            say(f"note: {lines}; on average {row['chances']:.3g} of them are of answers that are confirmed")


def say_which_chances_lack(engine: Engine, *, learned: bool) -> None:
    """Prints which queries have no chances, and why, if lines are to have chances."""
    if engine.forecasts:
        from antelog.forecast.inference.chances import notes  # noqa: PLC0415 - few have chances

        for note in notes(engine.plan, learned=learned):
            say(f"note: {note}")


def say_what_learning_lacks(engine: Engine) -> None:
    """Prints which queries have too few decided answers to learn from."""
    from antelog.forecast.reports.words import short_streams  # noqa: PLC0415 - few learn

    if engine.now < 0:
        return
    ticks = engine.now - (engine.state.begin or 0) + 1
    plan, decided = engine.plan, engine.forecaster.decided()
    ending = {name: each for name, each in decided.items() if plan.relation(name).bounds.delay is not None}
    for note in short_streams(ending, ticks, plan.tick):
        say(f"note: {note}")


def _span(first: int, last: int, timescale: Timescale | None) -> str:
    """`tick 3`, `ticks 3 to 5`, or their times."""
    if first == last:
        return tick_in_words(first, timescale)
    begin, end = moment(first, timescale), moment_near(last, timescale, first)
    return f"{'ticks ' if begin == str(first) else ''}{begin} to {end}"


_LONGEST = 600  # the most characters of a rejected row, and of its error, that are shown

_MOST = 0.9  # the share of late facts that a suggested delay keeps; some may be too late to wait for

_TICK, _TICKS = re.compile(r"\btick (\d+)"), re.compile(r"\b(\d+) ticks?\b")


@contextmanager
def summarized(file: Path | None, timescale: Timescale | None, *, strict: bool = False) -> Iterator[Rejects]:
    """Collects the rejects of a run in a file, and prints their summary at the end."""
    rejects = Rejects(strict)
    try:
        with rejects_to(file, strict=strict) as rejects:
            yield rejects
    except OutputError:
        raise  # the file may not be there
    except BaseException:
        _summarize(rejects, file, timescale)
        raise
    _summarize(rejects, file, timescale)


def _summarize(rejects: Rejects, file: Path | None, timescale: Timescale | None) -> None:
    for note in (*rejects.notes, *rejects.at_end):
        say(f"note: {shown(note)}")
    if not rejects.strict:
        say_what_was_set_aside(
            rejects.counts, rejects.first, timescale,
            where=None if file is None else str(file), option="--rejects FILE", delays=rejects.delays,
        )  # fmt: skip


def say_what_was_set_aside(
    counts: Mapping[str, int], first: Sequence[Reject], timescale: Timescale | None, *, where: str | None,
    option: str, delays: Mapping[str, Mapping[int, int]] | None = None,
) -> None:  # fmt: skip
    """Prints counts of rejects, and the first in full; `delays`: late facts by the delay that keeps them."""
    rows = {reason: n for reason, n in counts.items() if reason != FAILED}
    count, failed = sum(rows.values()), counts.get(FAILED, 0)
    if not count and not failed:
        return
    most_first = sorted(rows.items(), key=lambda each: (-each[1], each[0]))
    kinds = ", ".join(f"{n:,} {reason}" for reason, n in most_first if n)
    if count:
        say(f"warning: {'1 row was' if count == 1 else f'{count:,} rows were'} set aside ({kinds})")
    if failed:
        say(f"warning: {failed_calls(counts)}")
    count += failed
    for reject in first:
        detail = shortened(reject.detail)
        if reject.reason not in ("malformed", FAILED):  # which quote the row, where `tick` may be anything
            detail = _in_times(detail, timescale)
        say(f"  {shown(f'{shortened(reject.place)}: {detail}')}")
    if where is not None:
        say(f"  all of them are in {shown(where)}")
    elif count > len(first):
        say(f"  and {count - len(first):,} more; {option} keeps them all")
    for name, late in (delays or {}).items():
        say(f"note: {_remedy(name, late, timescale)}")


def failed_calls(counts: Mapping[str, int]) -> str:
    """How many calls of functions failed, empty if none did."""
    count = counts.get(FAILED, 0)
    has = "has" if count == 1 else "have"
    return f"{number(count, 'call')} of functions failed, and {has} no value" if count else ""


def _in_times(detail: str, timescale: Timescale | None) -> str:
    """`arrived at 2024-03-06, 2 days after …` for `arrived at tick 19788, 2 ticks after …`."""
    if timescale is None or any(int(tick) not in timescale.ticks for tick in _TICK.findall(detail)):
        return detail
    detail = _TICK.sub(lambda each: tick_in_words(int(each[1]), timescale), detail)
    return _TICKS.sub(lambda each: long_duration_text(int(each[1]) * timescale.length), detail)


def _remedy(name: str, delays: Mapping[int, int], timescale: Timescale | None) -> str:
    """`delay 4` would have kept 91 % of the late facts of Temp, `delay 7` all; …"""
    total, last = sum(delays.values()), max(delays)
    kept = zip(sorted(delays), accumulate(delays[each] for each in sorted(delays)), strict=True)
    enough, facts_kept = next((each, facts) for each, facts in kept if facts >= _MOST * total)
    few, every = (
        f"`delay {ticks if timescale is None else duration_text(ticks * timescale.length)}`"
        for ticks in (enough, last)
    )
    words = f"{every} would have kept {'the late fact' if total == 1 else 'all late facts'} of {name}"
    if enough != last:
        share = min(99, 100 * facts_kept // total)
        words = f"{few} would have kept {share} % of the late facts of {name}, {every} all"
    return f"{words}; answers are confirmed later then"


def shortened(text: str) -> str:
    """Cuts the middle out of a long text, whose end has the error."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"


def number(count: int, what: str) -> str:
    """`1 fact`, `2 facts`, …"""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def facts(counts: Mapping[str, int | None], held: int = 0) -> str:
    """The number of facts, with fates unless all were used: `6 facts and 1 held before (5 used, 2 late)`."""
    given = counts.get("given") or 0
    fates = [f"{count:,} {words}" for name, words in FATES.items() if (count := counts.get(name))]
    came = number(given, "fact") + (f" and {held:,} held before" if held > 0 else "")
    plain = held <= 0 and fates == [f"{given:,} {FATES['admitted']}"]
    return came if plain or not fates else f"{came} ({', '.join(fates)})"
