"""antelog/spark/endpoints/{folders,sinks,tables}.py: a stream that is killed has the same results.

A pipeline with several sinks is killed at random moments, `ANTELOG_TESTS_KILLS` times (`make long`: ten):
one that appends changes, and one that has a row for each answer.
"""

import json
import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pyarrow.dataset as ds
import pytest

import antelog
from antelog.engine.step.query import DECIDED, STILL_OPEN
from tests.servers import Kafka, Postgres, UnavailableError, for_postgres, for_spark, kafka, postgres
from tests.spark import tables
from tests.spark.killing import run_and_kill, run_to_end

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("ANTELOG_TESTS_KILLS", "1"))
FILES = 6 * KILLS + 2
TICKS = 5  # so many ticks are in one file, and so in one micro-batch
PROGRAM = """\
input Temp(device, level, time) delay 3.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Malf(X, T).
"""

Server = TypeVar("Server")
Fact = tuple[str, str, int, int]
Change = tuple[int, str, str, str]  # tick, kind, answer and explanations, the last two as JSON


@dataclass(frozen=True)
class Killed:
    """A stream that has ended: its folder, the place of its output, and the lines expected there."""

    mode: str  # of its outputs
    folder: Path
    changes: Counter[Change]
    late: Counter[tuple[int, int]]
    forms: Mapping[str, str]  # of tables, with the reason why one is not there
    database: Postgres | UnavailableError
    broker: Kafka | UnavailableError


@pytest.fixture(scope="module")
def killed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killed]:
    dice, mode = random.Random(7), request.param
    folder = tmp_path_factory.mktemp("killed")
    facts = made_up(dice)
    write(facts, folder)
    with ExitStack() as stack:
        none = UnavailableError("only `make long` starts servers")
        database: Postgres | UnavailableError = none
        broker: Kafka | UnavailableError = none
        forms = dict.fromkeys(tables.PLACES, str(none))
        outputs = ["parquet:changes"] if mode == "changes" else []
        conf: dict[str, str] = {}
        jars: list[str] = []
        if "ANTELOG_TESTS_KILLS" in os.environ:
            database, forms = started(stack, postgres), tables.known_forms()
            broker = started(stack, connected_kafka) if mode == "changes" else none
            conf = tables.settings(folder)
            jars += filter(None, conf["spark.jars"].split(","))
        for form, why in forms.items():
            if not why:
                _, address, first = tables.PLACES[form]
                outputs.append(address.format(f"{mode}_here"))
                tables.asked(folder, *filter(None, [first]))
        if isinstance(database, Postgres):
            outputs.append(f"{database.url}#{mode}")
            jars += map(str, for_postgres())
        if isinstance(broker, Kafka):
            broker.create("changes", 3)
            outputs.append(f"kafka://{broker.servers}/changes")
            jars += map(str, for_spark("kafka"))
        if not outputs:
            pytest.skip("there is nothing that has rows which can be replaced")
        arguments = [
            *("run", "p.alog", "--input", "Temp=facts", "--stream", "--checkpoint", "state"),
            *("--trigger", "available-now", "--chunk", 1, "--rejects", "json:rejects"),
            *("--master", "local[2]", "--buckets", 2, "--output-mode", mode),
            *tables.options(conf | ({"spark.jars": ",".join(jars)} if jars else {})),
            *(each for output in outputs for each in ("--output", output)),
        ]
        for _ in range(KILLS):
            assert not run_and_kill(arguments, folder, dice), "it came to its end before all the kills"
        run_to_end(arguments, folder)
        changes, late = expected(facts)
        changes = changes if mode == "changes" else newest(changes)
        yield Killed(mode, folder, changes, late, forms, database, broker)


def started(
    stack: ExitStack, server: Callable[[], AbstractContextManager[Server]]
) -> Server | UnavailableError:
    try:
        return stack.enter_context(server())
    except UnavailableError as error:
        return error


@contextmanager
def connected_kafka() -> Iterator[Kafka]:
    for_spark("kafka")
    with kafka() as broker:
        yield broker


def made_up(dice: random.Random) -> list[Fact]:
    """Facts in the order of their arrival, some of them later than they may be."""
    facts = []
    for tick in range(FILES * TICKS):
        for device in range(12):
            level = "high" if dice.random() < 0.6 else "low"
            delay = dice.choice([0, 0, 0, 1, 2, 3]) if dice.random() < 0.97 else 5
            if dice.random() < 0.9:
                facts.append((f"wt{device}", level, tick, tick + delay))
    return sorted(facts, key=lambda fact: fact[3])


def write(facts: list[Fact], folder: Path) -> None:
    """The program and the facts, each file with those that arrived within a few ticks."""
    (folder / "p.alog").write_text(PROGRAM, encoding="utf-8")
    (folder / "facts").mkdir()
    for number in range(facts[-1][3] // TICKS + 1):
        file = folder / "facts" / f"{number:04}.csv"
        rows = [fact for fact in facts if fact[3] // TICKS == number]
        lines = ["device,level,time,arrival", *(",".join(map(str, row)) for row in rows)]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        # Spark takes the files in the order in which they were changed, to the second.
        os.utime(file, (1_700_000_000 + number, 1_700_000_000 + number))


def expected(facts: list[Fact]) -> tuple[Counter[Change], Counter[tuple[int, int]]]:
    """What the kernel says up to the tick before the last, which a stream waits to be over."""
    engine = antelog.Engine(antelog.parse(PROGRAM))
    last = facts[-1][3] - 1
    table = engine.advance(last, {"Temp": [fact for fact in facts if fact[3] <= last]})["Malf"]
    changes = Counter(
        canonical(row["tick"], row["change"], json.dumps({"X": row["X"], "T": row["T"]}), row["explanations"])
        for row in table.to_pylist()
    )
    late = Counter((row["time"], row["arrival"]) for row in engine.rejects.to_pylist())
    return changes, late


def newest(changes: Iterable[Change]) -> Counter[Change]:
    """The state of each answer: its newest line, with the tick of the first."""
    first: dict[str, int] = {}
    last: dict[str, Change] = {}
    for change in sorted(changes):
        first.setdefault(change[2], change[0])
        last[change[2]] = change
    return Counter(
        (tick, f"{kind if kind in DECIDED else STILL_OPEN} since {first[answer]}", answer, why)
        for tick, kind, answer, why in last.values()
    )


def canonical(tick: object, change: object, answer: str, explanations: object) -> Change:
    texts = json.dumps(json.loads(answer)), json.dumps(explanations, sort_keys=True)
    return int(str(tick)), str(change), *texts


appended = pytest.mark.parametrize("killed", ["changes"], indirect=True)


@appended
def test_files(killed: Killed) -> None:
    files = sorted(str(each) for each in killed.folder.glob("changes/batch=*/*.parquet"))
    rows = ds.dataset(files).to_table().to_pylist()
    assert len(killed.changes) > 100
    assert killed.changes == Counter(
        canonical(row["tick"], row["change"], row["answer"], row["explanations"]) for row in rows
    )


@appended
def test_rejects(killed: Killed) -> None:
    files = killed.folder.glob("rejects/batch=*/*.json")
    rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    assert killed.late
    assert Counter((row["time"], row["arrival"]) for row in rows) == killed.late
    assert {row["reason"] for row in rows} == {"late"}


KINDS = {"changes": "change", "answers": "concat(status, ' since ', since)"}


@pytest.mark.long
@pytest.mark.parametrize("killed", KINDS, indirect=True)
def test_postgres(killed: Killed) -> None:
    if isinstance(killed.database, UnavailableError):
        pytest.skip(str(killed.database))
    rows = killed.database.query(
        f"select tick, {KINDS[killed.mode]}, answer, explanations from {killed.mode}"
    )
    assert killed.changes == Counter(
        canonical(tick, kind, answer, json.loads(explanations)) for tick, kind, answer, explanations in rows
    )


@pytest.mark.long
@pytest.mark.parametrize("form", tables.PLACES)
@pytest.mark.parametrize("killed", KINDS, indirect=True)
def test_tables(killed: Killed, form: str) -> None:
    if killed.forms[form]:
        pytest.skip(killed.forms[form])
    table = tables.PLACES[form][0].format(killed.folder, f"{killed.mode}_here")
    question = f"SELECT tick, {KINDS[killed.mode]} AS kind, answer, explanations FROM {table}"
    (rows,) = tables.asked(killed.folder, question)
    assert killed.changes == Counter(canonical(*row.values()) for row in rows)


@appended
@pytest.mark.long
def test_kafka(killed: Killed) -> None:
    if isinstance(killed.broker, UnavailableError):
        pytest.skip(str(killed.broker))
    messages = [value for _, value in killed.broker.messages("changes")]
    assert killed.changes == Counter(
        canonical(value["tick"], value["change"], json.dumps(value["answer"]), value["explanations"])
        for value in messages
    )
