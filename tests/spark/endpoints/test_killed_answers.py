"""antelog/spark/endpoints/{jdbc_sink,table_sink}.py: answers are merged once, whatever is killed meanwhile.

A stream merges into a table of PostgreSQL, and into Delta and Iceberg where the installed Spark has them. All
of it, its Java or its workers are killed at random moments. The tables are then those of an undisturbed run,
and have what the kernel says of the same facts.
"""

from __future__ import annotations

import json
import random
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.servers.artefacts import for_postgres
from tests.servers.postgres import Postgres, postgres
from tests.spark import tables
from tests.spark.endpoints import test_recovery as changes
from tests.spark.killing import run_and_kill, run_and_lose, run_to_end

KILLS = 10
FILES = 4 * KILLS + 6
State = tuple[int, str, int, str]
"""Tick, status, tick of the first line, and explanations as JSON."""


@pytest.mark.long
def test_tables_after_kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "FILES", FILES)
    dice = random.Random(11)
    facts = changes.made_up(dice)
    changes.write(facts, tmp_path)
    with ExitStack() as stack:
        database = changes.started(stack, postgres)
        forms = [form for form, why in tables.known_forms().items() if not why]
        if not forms and not isinstance(database, Postgres):
            pytest.skip(str(database))
        if "iceberg" in forms:
            tables.asked(tmp_path, "CREATE NAMESPACE IF NOT EXISTS plant.lines")
        run_to_end(_arguments(tmp_path, "calm", database, forms, chunk=20), tmp_path)
        arguments = _arguments(tmp_path, "killed", database, forms, chunk=1)
        for number in range(KILLS):
            what = ("all", "java", "worker")[number % 3]
            ended = (
                run_and_kill(arguments, tmp_path, dice)
                if what == "all"
                else run_and_lose(arguments, tmp_path, dice, what)
            )
            assert not ended, "it came to its end before all the kills"
        run_to_end(arguments, tmp_path)
        expected = _states(facts)
        assert len(expected) > 100
        if isinstance(database, Postgres):
            for first, second in (("calm", "killed"), ("killed", "calm")):
                differing = f"SELECT * FROM {first} EXCEPT ALL SELECT * FROM {second}"
                assert database.query(differing) == []
            rows = database.query("SELECT answer, tick, status, since, explanations FROM killed")
            found = {
                answer: (int(tick), status, int(since), text) for answer, tick, status, since, text in rows
            }
            assert len(rows) == len(found)
            assert {answer: _canonical(state) for answer, state in found.items()} == expected
        for form in forms:
            _compare(tmp_path, form, expected)


def _arguments(
    folder: Path, name: str, database: object, forms: list[str], chunk: int
) -> list[str | int | Path]:
    outputs = [tables.PLACES[form][1].format(name) for form in forms]
    conf = tables.settings(folder)
    jars = conf.pop("spark.jars")
    if isinstance(database, Postgres):
        outputs.append(f"{database.url}#{name}")
        jars = ",".join(filter(None, [jars, *map(str, for_postgres())]))
    return [
        *("run", "p.alog", "--input", "Temp=facts", "--stream", "--checkpoint", f"state-{name}"),
        *("--trigger", "available-now", "--chunk", chunk, "--output-mode", "answers"),
        *("--master", "local[2]", "--buckets", 2),
        *tables.options(conf | {"spark.jars": jars}),
        *(each for output in outputs for each in ("--output", output)),
    ]


def _compare(folder: Path, form: str, expected: dict[str, State]) -> None:
    calm, killed = (tables.PLACES[form][0].format(folder, name) for name in ("calm", "killed"))
    more, less, rows = tables.asked(
        folder,
        f"SELECT * FROM {killed} EXCEPT ALL SELECT * FROM {calm}",
        f"SELECT * FROM {calm} EXCEPT ALL SELECT * FROM {killed}",
        f"SELECT answer, tick, status, since, to_json(explanations) AS texts FROM {killed}",
    )
    assert (more, less) == ([], [])
    assert len(rows) == len(expected)
    assert expected == {
        row["answer"]: _canonical((row["tick"], row["status"], row["since"], row["texts"])) for row in rows
    }


def _states(facts: list[changes.Fact]) -> dict[str, State]:
    """The state of each answer by the changes that the kernel has."""
    found: dict[str, State] = {}
    for tick, kind, answer, explanations in sorted(changes.expected(facts)[0]):
        first = found.get(answer, (0, "", tick, ""))[2]
        status = kind if kind in ("confirmed", "rejected") else "open"
        found[answer] = (tick, status, first, explanations)
    return found


def _canonical(state: State) -> State:
    return (*state[:3], json.dumps(json.loads(state[3]), sort_keys=True))
