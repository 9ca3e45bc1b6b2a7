"""`docs/beside-wayeb.md`, made of what was measured: who is cheaper and who is better, and tables.

In come results as `measuring` has them, of which some may be missing; out goes a page that says of the others
who was ahead, whoever it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill
from typing import Any

from benchmarks.report import ROOT
from benchmarks.wayeb.install import COMMIT
from benchmarks.wayeb.measuring import KINDS, SIZES
from benchmarks.wayeb.questions import QUESTIONS
from benchmarks.wayeb.ways import ANTELOG, FULL, LIVE, SUFFIX, WAYS

DOCS = ROOT / "docs"
NAME = "beside-wayeb.md"

Found = dict[str, Any]

_HEAD = """\
# Forecasts beside Wayeb's

Three high readings in a row are a fault. At each reading one asks: will there be one within the next five?
[Wayeb](https://github.com/ElAlev/Wayeb) is made for such questions. It makes an automaton of a pattern,
learns from a stream how likely it goes from state to state, and says at each event how likely a match is
complete within so many events. Here both engines learn from the same stream, and follow the same other one.

There are two questions. *Run* is about a match that has begun: a low reading, then three high ones. *Soon*
is the one above, about whatever match comes next. That is how Wayeb always asks.

"""

_WHY = """\
**Why it costs what it costs.** All that Wayeb knows of a machine is the state of an automaton, and its
forecasts are worked out beforehand, one for each state. An event is a look into a table. antelog works in
columns, so that a step of many readings is cheap for each of them, and a step of few is dear. It keeps each
open answer with its evidence, what it waits for and until when, and tells what changes in that. An answer
to *run* has one way to come about. An answer to *soon* has five, and each is shown with what it lacks: that
takes the time, not the chances, without which it takes nearly as long.

**Why it is as good as it is.** Where machines are alike, Wayeb's chain is of the very kind that the stream
was made from, and looks as far back. antelog counts what became of answers before; when this was measured
it learned a model of facts as well, which looked one tick back, and does so no more. Where machines differ,
Wayeb has one model for all of them, and antelog learns of each how it differs.

**What is not compared.** Facts that come late or out of order, several inputs, and reasons for an answer,
which Wayeb does not have. Nor patterns that compare an event with one before, and intervals in which a
match is likely, which Wayeb can give, too.
"""

_HOW = """\
## How it was measured

| question | in words | pattern for Wayeb | within |
| --- | --- | --- | --- |
{questions}

The programs for antelog:

{programs}

Each machine has a reading at each of 2,000 ticks, high or low. How likely it is high depends on its last
two. Both engines read the same CSV file, learn, and write a chance for each reading of another such file.
Seconds are CPU seconds of whole processes, user and system, of all threads. The *start* is what the same
command takes to follow 200 readings; learning and following are without their starts. Wayeb is used as a
library, as its documentation has it. Its logging is off, and so are its statistics, which compare each
forecast with each match of its machine. Matches overlap, and states in which one is complete forecast, too.
The chain has order 2, the suffix tree the settings that it comes with.

The Brier score is the mean square of chance minus outcome. The log loss is the mean of minus the logarithm
of the chance that was given to what became true. Less is better. *Truth* is one who knows the chances that
the stream was made from, *base* says the share that came about. The first three readings of a machine are
not scored, nor the last ones, after which the stream ends too soon. Where machines differ, normal numbers
with a deviation of 0.8 are added to their log odds.

Wayeb is version 0.6.0, commit {commit}. It is under a licence for research (CC BY-NC-SA 4.0; other uses
need its author's permission). Nothing of it is in this repository. `make bench-wayeb` fetches and builds
it, measures, and makes this page; the figures are in `benchmarks/results/wayeb.json`.
"""


def as_markdown(found: Found) -> str:
    questions = "\n".join(
        f"| *{each.name}* | {each.words} | `{each.pattern}` | {each.horizon} readings |"
        for each in QUESTIONS.values()
    )
    programs = "\n\n".join(f"```antelog\n{each.program}\n```" for each in QUESTIONS.values())
    how = _HOW.format(questions=questions, programs=programs, commit=COMMIT)
    lines = [_HEAD + _verdict(found), "", _WHY, "## What it costs", "", *_costs(found)]
    lines += ["", "## How good it is", "", *_quality(found), how, *_settings(found)]
    return "\n".join(lines).rstrip() + "\n"


def _verdict(found: Found) -> str:
    """Who is cheaper, and who is better, in numbers."""
    costs = [
        f"with {found[size]['readings']:,} readings {_cost(found[size])}" for size in SIZES if size in found
    ]
    better = [
        f"where machines {'are alike' if kind == 'alike' else 'differ'} it is {_better(found[kind])}"
        for kind in KINDS
        if kind in found
    ]
    seconds = "antelog's CPU seconds to learn and to follow, beside those of Wayeb's chain"
    cost = f"**Who is cheaper.** {seconds}: {'; '.join(costs)}."
    quality = (
        f"**Who is better.** antelog's Brier score beside the better one of Wayeb's: {'; '.join(better)}."
    )
    return fill(cost, 110) + "\n\n" + fill(quality, 110)


def _cost(measured: Found) -> str:
    """Learning and following, for each question; tick by tick where it was measured."""
    said = []
    for name in QUESTIONS:
        own, other = measured[name][ANTELOG], measured[name][FULL]
        learn, follow = (_middle(own[key]) / _middle(other[key]) for key in ("learn", "follow"))
        said.append(f"for *{name}* {learn:.1f} and {follow:.1f} times as many")
        if LIVE in measured[name]:
            live = _middle(measured[name][LIVE]["follow"]) / _middle(other["follow"])
            said[-1] += f" (tick by tick {live:.0f})"
    return ", ".join(said)


def _better(scored: Found) -> str:
    said = []
    for name in QUESTIONS:
        scores = scored[name]["scores"]
        share = scores[ANTELOG]["brier"] / min(scores[way]["brier"] for way in (FULL, SUFFIX)) - 1
        said.append(f"{abs(share):.1%} {'worse' if share > 0 else 'better'} for *{name}*")
    return " and ".join(said)


def _costs(found: Found) -> Iterator[str]:
    columns = ("question", "readings", "engine", "start", "learning", "following", "readings a CPU second")
    yield f"| {' | '.join(columns)} |"
    yield "| --- | ---: | --- | ---: | ---: | ---: | ---: |"
    for size in (each for each in SIZES if each in found):
        count = found[size]["readings"]
        for name in QUESTIONS:
            for way, taken in found[size][name].items():
                learn = _spread(taken["learn"]) if "learn" in taken else "the same"
                cells = [name, f"{count:,}", WAYS[way].words, f"{_middle(taken['begins']):.1f}", learn]
                cells += [_spread(taken["follow"]), f"{count / _middle(taken['follow']):,.0f}"]
                yield f"| {' | '.join(cells)} |"


def _quality(found: Found) -> Iterator[str]:
    judges = {ANTELOG: "antelog", FULL: WAYS[FULL].words, SUFFIX: WAYS[SUFFIX].words}
    judges |= {"truth": "truth", "base": "base"}
    for score, words in (("brier", "Brier score"), ("log", "Log loss")):
        yield f"{words}:\n"
        yield f"| machines | question | asked | came about | {' | '.join(judges.values())} |"
        yield f"| --- | --- | ---: | ---: |{' ---: |' * len(judges)}"
        for kind in (each for each in KINDS if each in found):
            for name in QUESTIONS:
                scored = found[kind][name]
                cells = [kind, name, f"{scored['asked']:,}", f"{scored['came']:.1%}"]
                cells += [f"{scored['scores'][judge][score]:.4f}" for judge in judges]
                yield f"| {' | '.join(cells)} |"
        yield ""


def _middle(spread: list[float]) -> float:
    return spread[1]


def _spread(spread: list[float]) -> str:
    """The median, and from where to where it went if there were several rounds."""
    least, middle, most = spread
    return f"{middle:.1f}" if least == most else f"{middle:.1f} ({least:.1f} to {most:.1f})"


def _settings(found: Found) -> Iterator[str]:
    for size in (each for each in SIZES if each in found):
        at, rounds = found[size]["setting"], found[size]["rounds"]
        versions = ", ".join(f"{library} {number}" for library, number in at["versions"].items())
        times = "one round" if rounds == 1 else f"medians of {rounds} rounds in turn"
        where = f"commit {at['commit']}, {at['date']}, {at['cpu']}; {versions}"
        yield f"*{found[size]['readings']:,} readings: {times}, {where}.*\n"
