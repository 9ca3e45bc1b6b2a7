"""Made streams: the chances of their answers are known, so there is a score that nobody can better.

Their oracles are formulas (`processes`), or what the engine says if the program declares how the facts were
made (`declared`). Short streams are made several times, and all of them are scored together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import polars as pl

import antelog
from antelog.process import Engine
from benchmarks.forecast import processes
from benchmarks.forecast.declared import Levels, Process, Spells, declared_chance
from benchmarks.forecast.processes import BERLIN, Made
from benchmarks.forecast.telling import Facts, Replay, replay


@dataclass(frozen=True)
class MadeStream:
    """A made stream: in words, the way its facts are made, and the tick, of its own, from which lines count.

    An answer is settled within `horizon` ticks; later ones may not be settled by the end, and do not count.
    """

    name: str
    words: str
    program: str
    make: Callable[[int], Made]
    since: int
    horizon: int
    seeds: int = 1
    turn: int | None = None  # the tick at which a rate changes

    def replays(self) -> Iterator[Replay]:
        """For each seed the lines with the chances of the program, and a column with the truth."""
        for seed in range(self.seeds):
            made = self.make(seed)
            told = replay(Engine(antelog.parse(self.program), model="learn"), made.facts)
            truth = pl.Series("truth", made.oracle(told.lines))
            lines = told.lines.with_columns(truth).filter(pl.col("time") <= told.last - self.horizon)
            yield replace(told, lines=lines)


def _declared(
    name: str, words: str, process: Process, facts: Callable[[int], Facts], **others: int
) -> MadeStream:
    def make(seed: int) -> Made:
        made = facts(seed)
        return Made(made, partial(declared_chance, process, made))

    own = {"since": 0, "horizon": 2, **others}
    return MadeStream(name, words, process.program, make, **own)


_ABRUPT = Spells(0.05, 0.9, turn=2000, later=0.3)
_FORTY = Spells(0.3, 0.75)
_WEEKLY = Spells(0.15, 0.8, (0.5, 0.3, 0.2))
_NEW = Spells(0.1, 0.85, (0.7, 0.3))
_LEVELS = Levels(0.4, (0.7, 0.2, 0.1))

_RUN = "Run(X, T) :- {0}(X, T), {0}(X, T+1), {0}(X, T+2). query Run(X, T)."
_SOON = "{0}(X, T), {1}(X, S), S > T, S <= T + {2}"
_WARM = """input Reading(key, value: number, time).
Hot(X, T) :- Reading(X, U, T), U >= 90, Reading(X, V, T+1), V >= 90, Reading(X, W, T+2), W >= 90.
query Hot(X, T)."""
_PAY = """input Login(key, time). input Pay(key, n, amount: number, time).
Much(X, T) :- Login(X, T), {0}. query Much(X, T)."""
_ORDER = f"""input Order(key, time). input Paid(key, time).
Settled(X, T) :- {_SOON.format("Order", "Paid", 3)}. query Settled(X, T)."""

MADE = {
    stream.name: stream
    for stream in (
        MadeStream(
            "flights",
            "8 gates over 60 days, a flight in 95 % of the hours by day and 3 % by night; three in a row",
            f"tick 1 hour. input Flight(key, time).\n{_RUN.format('Flight')}",
            processes.flights,
            since=720,
            horizon=2,
        ),
        MadeStream(
            "desk",
            "10 desks over 20 weeks in Berlin; a request, and a reply within 4 hours, most in office hours",
            f"""tick 1 hour. zone "{BERLIN}". input Ask(key, time). input Reply(key, time).
            Helped(X, T) :- {_SOON.format("Ask", "Reply", 4)}. query Helped(X, T).""",
            processes.desk,
            since=1680,
            horizon=4,
        ),
        MadeStream(
            "shop",
            "10 shops over 80 weeks, sales by day of the week; a sale, and none on the next two days",
            f"""tick 1 day. zone "{BERLIN}". input Sale(key, time).
            Quiet(X, T) :- Sale(X, T), not Sale(X, T+1), not Sale(X, T+2). query Quiet(X, T).""",
            processes.shop,
            since=280,
            horizon=2,
        ),
        replace(
            _declared(
                "abrupt",
                "8 keys; a fact follows another with 90 %, from tick 2,000 of 4,000 with 30 %; 3 in a row",
                _ABRUPT,
                partial(_ABRUPT.facts, keys=8, ticks=4000),
                since=2000,
            ),
            turn=2000,
        ),
        MadeStream(
            "slow",
            "8 keys over 4,000 ticks; a fact follows another with 90 %, then 30 %, then 90 %; three in a row",
            f"input Ping(key, time).\n{_RUN.format('Ping')}",
            processes.slow,
            since=2000,
            horizon=2,
        ),
        _declared(
            "forty",
            "one key over 45 ticks; a fact follows another with 75 %; three in a row; 20 such streams",
            _FORTY,
            partial(_FORTY.facts, keys=1, ticks=45),
            since=15,
            seeds=20,
        ),
        MadeStream(
            "seventy",
            "one key over 70 ticks, values about 90; three of 90 or more in a row; 20 such streams",
            _WARM,
            partial(processes.warm, mean=90, keys=1, ticks=70),
            since=20,
            horizon=2,
            seeds=20,
        ),
        _declared(
            "weekly",
            "20 regions over 70 weeks, reports up to two weeks late; three in a row",
            _WEEKLY,
            partial(_WEEKLY.facts, keys=20, ticks=70),
            since=20,
            horizon=4,
        ),
        MadeStream(
            "rare",
            "100 keys over 2,000 ticks; an alarm, and a failure within 5 ticks, which one in a thousand has",
            f"""input Alarm(key, time). input Fail(key, time).
            Broken(X, T) :- {_SOON.format("Alarm", "Fail", 5)}. query Broken(X, T).""",
            processes.rare,
            since=1000,
            horizon=5,
        ),
        MadeStream(
            "many keys",
            "100,000 customers with two orders each; each customer pays within 3 ticks at a rate of its own",
            _ORDER,
            partial(processes.orders, keys=100_000, each=2, slot=100, shape=1.0),
            since=100,
            horizon=3,
        ),
        MadeStream(
            "own rates",
            "30 customers with 150 orders each; most pay nearly always or hardly ever",
            _ORDER,
            partial(processes.orders, keys=30, each=150, slot=8, shape=0.5),
            since=600,
            horizon=3,
        ),
        _declared(
            "new keys",
            "120 keys that begin one after the other over 600 ticks; facts up to a tick late, three in a row",
            _NEW,
            partial(_NEW.facts, keys=120, ticks=600, pace=5),
            since=300,
            horizon=3,
        ),
        MadeStream(
            "weather",
            "20 keys over 1,200 ticks, all hot with 80 % or all with 10 % for some 50 ticks; three in a row",
            f"input Hot(key, time).\n{_RUN.format('Hot')}",
            processes.weather,
            since=600,
            horizon=2,
        ),
        MadeStream(
            "counts",
            "15 cards over 1,500 ticks, some payments a tick; a log-in, and 14 payments within 10 ticks",
            _PAY.format("count(Pay(X, _, _, T..T+9)) >= 14"),
            partial(processes.payments, values=(1,), needed=14),
            since=750,
            horizon=9,
        ),
        MadeStream(
            "sums",
            "the same, and payments of 60 within 10 ticks, each of 1 to 9",
            _PAY.format("sum(V : Pay(X, _, V, T..T+9), V >= 0) >= 60"),
            partial(processes.payments, values=range(1, 10), needed=60),
            since=750,
            horizon=9,
        ),
        _declared(
            "levels",
            "20 keys, a reading at each of 600 ticks, two ticks late at most, high with 40 %; three in a row",
            _LEVELS,
            partial(_LEVELS.facts, keys=20, ticks=600),
            since=300,
            horizon=4,
        ),
        MadeStream(
            "warm",
            "8 keys over 2,000 ticks, values drawn back to 85; three of 90 or more in a row",
            _WARM,
            partial(processes.warm, mean=85, keys=8, ticks=2000),
            since=1000,
            horizon=2,
        ),
        MadeStream(
            "load",
            "20 motors that trip, and start again within 4 ticks if their load is low; `given` is the load",
            f"""input Trip(key, time). input Start(key, time). input Load(key, percent: number, time).
            Again(X, T) :- {_SOON.format("Trip", "Start", 4)}. query Again(X, T) given Load(X, L, T).""",
            processes.load,
            since=1000,
            horizon=4,
        ),
        MadeStream(
            "lags",
            "20 keys; alarms are seen within 5 ticks and closed within 10 more, rather if they are seen soon",
            """input Alarm(key, time). input Seen(key, time). input Closed(key, time).
            Done(X, T) :- Alarm(X, T), Seen(X, S), S > T, S <= T + 5, Closed(X, U), U > S, U <= S + 10.
            query Done(X, T).""",
            processes.lags,
            since=1000,
            horizon=15,
        ),
        MadeStream(
            "spells",
            "15 keys over 1,500 ticks, spells of four to eight ticks; four ticks in a row",
            """input On(key, time).
            Long(X, T) :- On(X, T), On(X, T+1), On(X, T+2), On(X, T+3). query Long(X, T).""",
            processes.spells,
            since=750,
            horizon=3,
        ),
    )
}
