"""antelog/files/merging.py: the facts of several files in the order of their arrival."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest

import antelog
from antelog.errors import DataError
from antelog.files import ARRIVAL, LINE, End, Rejects, batches, tables, wanted_of
from tests.files.reading import FREE


def pieces(arrivals: Sequence[Sequence[int]]) -> Iterator[pa.Table]:
    number = 0
    for each in arrivals:
        numbers = range(number, number + len(each))
        yield pa.table(
            {
                "n": list(map(str, numbers)),
                ARRIVAL: pa.array(each, pa.int64()),
                LINE: pa.array(numbers, pa.int64()),
            }
        )
        number += len(each)


def replayed(
    *sources: Sequence[Sequence[int]], until: int | None = None, **limits: int
) -> list[tuple[int, list[int]]]:
    given = {f"P{i}": pieces(source) for i, source in enumerate(sources)}
    found = []
    for batch in batches(given, End(until), **limits):
        arrivals = sorted(a for table in batch.facts.values() for a in table.column(ARRIVAL).to_pylist())
        for name, table in batch.facts.items():
            assert table.column("n").to_pylist() == list(map(str, batch.lines[name].tolist()))
        found.append((batch.now, arrivals))
    return found


def test_a_small_stream_is_sorted() -> None:
    assert replayed([[3, 1], [2, 0]], [[2], [9]]) == [(9, [0, 1, 2, 2, 3, 9])]
    assert replayed([]) == []
    assert replayed() == []


def test_batches_end_with_whole_ticks() -> None:
    assert replayed([[0, 0, 0, 1, 1, 2]], step=2) == [(0, [0, 0, 0]), (1, [1, 1]), (2, [2])]


def test_facts_after_the_last_tick_are_left_out() -> None:
    assert replayed([[0, 5], [2, 9]], until=4) == [(2, [0, 2])]


@pytest.mark.parametrize("room", [1, 2, 3, 5, 8, 100])
def test_a_long_sorted_stream_passes_through_a_window(room: int) -> None:
    first, second = [[i, i] for i in range(10)], [[2 * i] for i in range(7)]
    found = replayed(first, second, room=room, step=3)
    assert [tick for tick, _ in found] == sorted({tick for tick, _ in found})
    assert [a for _, arrivals in found for a in arrivals] == sorted(
        a for each in first + second for a in each
    )
    assert all(before < min(arrivals) for (before, _), (_, arrivals) in pairwise(found))


def test_a_long_stream_out_of_order_is_refused() -> None:
    with pytest.raises(DataError, match="the facts of P0 are too many to be sorted, and not in order"):
        replayed([[i] for i in range(10)] + [[0]], room=4)


def test_a_tick_larger_than_the_window() -> None:
    assert replayed([[7]] * 10 + [[8]], room=2) == [(8, [*[7] * 10, 8])]


@pytest.mark.parametrize("step", [1, 2, 3])
def test_columns_of_several_types_are_cut_where_they_should_be(temp: Path, step: int) -> None:
    program = antelog.parse(FREE)
    values = [7, "wt2", "n/a", 8.5, "x", 9, 10]
    found = []
    temp.write_text("device,value,time\n" + "".join(f"{value},0,{i}\n" for i, value in enumerate(values)))
    engine = antelog.Engine(program, arrival=ARRIVAL)
    given = tables(temp, wanted_of(program.plan, "Temp"), Rejects())
    for batch in batches({"Temp": given}, room=2, step=step):
        changes = engine.advance(batch.now, batch.facts)["A"]
        found += [e for line in changes.column("explanations").to_pylist() for e in line[0]["evidence"]]
    texts = ["7", "wt2", '"n/a"', "8.5", "x", "9", "10"]
    assert found == [f"Temp({text}, 0, {i})" for i, text in enumerate(texts)]


def test_columns_of_changing_types(temp: Path) -> None:
    lines = [f"{i},{i},{i // 1000}" for i in range(80_000)] + ["wt2,0.5,90", "7.5,1,91"]
    temp.write_text("device,value,time\n" + "\n".join(lines))
    program = antelog.parse(FREE)
    (batch,) = batches({"Temp": tables(temp, wanted_of(program.plan, "Temp"), Rejects())})
    table = batch.facts["Temp"]
    assert table.num_rows == 80_002
    assert table.column("device").to_pylist()[-3:] == [79_999, "wt2", 7.5]
    changes = antelog.Engine(program, arrival=ARRIVAL).advance(batch.now, batch.facts)
    assert changes["A"].num_rows == 80_002
