"""Odd files: CSV, JSON lines and Parquet that somebody has cut, mixed or made up, through `antelog try`."""

from __future__ import annotations

import gzip
import itertools
import json
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq

from tests.attack import frames
from tests.attack.findings import Attempt, command

_CSV = ["device,level,time,arrival", "a,1,0,0", "b,2,1,1", '"a",3,2,2', "b,,3,3", "a,x,4,5"]
_PROGRAMS = {"plain": frames.PROGRAM, "typed": frames.TYPED}
_BYTES = [
    *(b"\xff", b"\xfe\xff", b"\0", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n\n", b'"', b'""', b"'", b",", b";"),
    *(b"\t", b"\x1a", b"\xe2\x80\xa8", b"\xed\xa0\x80", b"\\", b"\\u0000", b"\\ud800", b"{", b"}", b"["),
    *(b":", b"9" * 77, b"9" * 400, b"-", b"1e400", b"1e-400", b"0x10", b"NaN", b"Infinity", b"-inf", b"null"),
    *(b"true", b"2024-01-01", b"9999-12-31T23:59:59.999999999Z", b"-290000-01-01", b"0000-00-00", b"24:61"),
    *(b"292277026596-12-04T15:30:08Z", b"1677-09-21", b"2024-02-30 25:00", b"9223372036854775808", b" ", b""),
    *(b"-9223372036854775809", b"x" * 100_000, "é漢🙂".encode(), "é".encode("latin-1"), b"(", b"+1", b"1.0"),
]
_VALUES = [
    *("9" * 77, "9" * 400, "-" + "9" * 5000, "1e400", "-1e400", "1e-400", "0.1" + "0" * 400, "1E+2", "01"),
    *("NaN", "Infinity", "-Infinity", "null", "true", "[]", "{}", "[[1]]", '{"a": {"b": 1}}', '""', '"a'),
    *('"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\x"', "'a'", "1.", "+1", "0x1", "1_0", "", "nil"),
    *('"2024-01-01"', '"9999-12-31T23:59:59.999999999Z"', '"-290000-01-01"', '"10000-01-01"', "1e18"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551616", "7.5"),
    *("[" * 100_000, '{"a":' * 100_000, "[" * 100_000 + "]" * 100_000, '"' + "x" * 100_000 + '"', "-0"),
]


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """So many files, each of them replayed as the facts of an input."""
    random = Random(seed)
    with tempfile.TemporaryDirectory(prefix="antelog-attack-") as folder:
        made = _made(random, Path(folder))
        for number, (name, file, program) in enumerate(itertools.islice(made, count)):
            called = f"file {number} of seed {seed}: {name}, {program}"
            yield Attempt(called, partial(replayed, file, _PROGRAMS[program]))


def replayed(file: Path, program: str) -> None:
    rules = file.with_suffix(".alog")
    rules.write_text(program)
    command("try", rules, "--input", f"Temp={file}", "--until", 9)


def _made(random: Random, folder: Path) -> Iterator[tuple[str, Path, str]]:
    """Files by what they are, each there until the next is asked for, and the kind of program to use."""
    tables = _parquet()
    makers: list[Callable[[], tuple[str, str, bytes]]] = [
        lambda: ("CSV", "csv", _mutated("\n".join([*_CSV, ""]).encode(), random)),
        lambda: ("JSON", "jsonl", _mutated(_json(random), random)),
        lambda: ("JSON values", "jsonl", _json(random)),
        lambda: ("CSV values", "csv", _csv(random)),
        lambda: ("packed", "csv.gz", _mutated(gzip.compress("\n".join(_CSV).encode()), random)),
        lambda: ("Parquet, damaged", "parquet", _mutated(random.choice(tables)[1], random)),
    ]
    for name, content in tables:
        for program in _PROGRAMS:
            yield f"Parquet, {name}", _written(folder / "Temp.parquet", content), program
    while True:
        name, ending, content = random.choice(makers)()
        file = _written(folder / f"Temp.{ending}", content)
        yield f"{name}: {content[:300]!r}", file, random.choice(list(_PROGRAMS))


def _written(file: Path, content: bytes) -> Path:
    file.write_bytes(content)
    return file


def _mutated(content: bytes, random: Random) -> bytes:
    for _ in range(random.randrange(1, 6)):
        at = random.randrange(len(content) + 1)
        end = at + random.choice([0, 0, 1, 2, 5, 50])
        content = content[:at] + random.choice(_BYTES) + content[end:]
    return content


def _json(random: Random) -> bytes:
    lines = []
    for time in range(5):
        values = [json.dumps(random.choice("ab")), str(random.randrange(9)), str(time), str(time)]
        if random.randrange(3) == 0:
            values[random.randrange(4)] = random.choice(_VALUES)
        names = ["device", "level", "time", "arrival"][: random.choice([3, 4, 4])]
        if random.randrange(20) == 0:
            names[0] = random.choice(["level", "Device", "x", "\\ud800", "\\u0000"])
        pairs = (f'"{name}": {value}' for name, value in zip(names, values, strict=False))
        lines.append("{" + ", ".join(pairs) + "}")
    if random.randrange(5) == 0:
        lines.insert(random.randrange(6), random.choice(_VALUES))
    return random.choice(["\n", "\r\n", "\n\n"]).join(lines).encode("utf-8", "surrogatepass")


def _csv(random: Random) -> bytes:
    lines = [b"device,level,time,arrival"]
    for time in range(5):
        values = [b"a", b"1", b"%d" % time, b"%d" % time]
        values[random.randrange(4)] = random.choice(_BYTES)
        lines.append(b",".join(values))
    return random.choice([b"\n", b"\r\n", b"\r"]).join(lines)


def _parquet() -> list[tuple[str, bytes]]:
    """Parquet files with a column of each type that Parquet has, in each place."""
    plain = {"device": pa.array(["a", "b", "a"]), "level": pa.array([1, 2, 3]), "time": pa.array([0, 1, 2])}
    found = []
    for (name, column), place in itertools.product(frames.columns().items(), (*plain, "arrival")):
        sink = pa.BufferOutputStream()
        try:
            pq.write_table(pa.table({**plain, place: column}), sink)
        except (pa.ArrowException, ValueError, OSError):
            continue  # Parquet has no such type
        found.append((f"{place} of {name}", sink.getvalue().to_pybytes()))
    return [*_hostile(plain), *found]


def _hostile(plain: dict[str, pa.Array]) -> Iterator[tuple[str, bytes]]:
    """Parquet files with odd names, and too many or too deep columns."""
    deep = pa.int64()
    for _ in range(90):
        deep = pa.struct([("a", deep)])
    within, values = pa.array([{"zzzz": 1, "level": 2}] * 3), pa.array(["zzzz", "b", "c"])
    tables = {
        "a name beside": pa.table({**plain, "zzzz": values}),
        "a name of its own": pa.table({**plain, "device": values}).rename_columns(["zzzz", "level", "time"]),
        "a name within": pa.table({**plain, "s": within}),
        "a value": pa.table({**plain, "device": values}),
        "a text in the margin": pa.table(plain).replace_schema_metadata({"zzzz": "zzzz"}),
        "no name": pa.table({**plain, "": values}),
        "a name with NUL": pa.table({**plain, "a\0b": values}),
        "a name twice": pa.table([*plain.values(), plain["level"]], [*plain, "level"]),
        "a name with stops": pa.table({**plain, "s.level": values, "s": within, ".": values, "..": values}),
        "a long name": pa.table({**plain, "x" * 1_000_000: values}),
        "many columns": pa.table({"dvice": values, **{f"c{i}": plain["level"] for i in range(3000)}}),
        "deep columns": pa.table({**plain, "s": pa.nulls(3, deep)}),
        "no columns": pa.table({}),
        "no rows": pa.table(plain).slice(3),
    }
    for name, table in tables.items():
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, store_schema=False, compression="none")
        content = sink.getvalue().to_pybytes()
        yield name, content
        if b"zzzz" in content:
            yield f"{name}, not UTF-8", content.replace(b"zzzz", b"\xff\xfezz")
