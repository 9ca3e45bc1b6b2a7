"""antelog/engine/{sealed,possible}.py: states that are damaged, or that nobody has saved, are refused.

Most of them have a digest that is right, as if somebody had made them up.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import antelog
from antelog import ArgumentError, Engine, StateError
from antelog.engine import sealed
from antelog.engine.columns.tables import Column
from tests.engine.forging import Example, Members, columns, examples, forged, members_of, said, types

EXAMPLES = examples()
LINE = len(sealed.seal(b""))


def refused(
    content: bytes, why: str = "the saved state ", program: antelog.Program | None = None, **options: Any
) -> None:
    with pytest.raises(StateError, match=why):
        Engine.from_bytes(content, program, **options)


@pytest.fixture(params=list(EXAMPLES))
def example(request: pytest.FixtureRequest) -> Example:
    return EXAMPLES[request.param]


# ---- damage: the digest tells ----


def test_whole_states_are_read(example: Example) -> None:
    assert example.told(example.content) == example.told(example.content, example.program)
    assert example.told(sealed.pack(members_of(example.content))) == example.told(example.content)


def test_any_wrong_bit_is_noticed(example: Example) -> None:
    for at in range(len(example.content)):
        wrong = bytearray(example.content)
        wrong[at] ^= 1 << at % 8
        refused(bytes(wrong))


def test_what_ends_too_early_or_too_late_is_noticed(example: Example) -> None:
    for length in range(len(example.content)):
        refused(example.content[:length])
    refused(example.content + b"\0", "is damaged")


def _with_zip(content: bytes, archive: bytes) -> bytes:
    """The archive in place of a state's, whose line stays."""
    return content[:LINE] + archive


def _zipped(members: list[tuple[str, bytes]]) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return sink.getvalue()


def _rearranged(members: Members) -> Iterator[list[tuple[str, bytes]]]:
    names = list(members)
    for one in names:
        for other in names:
            if members[one] != members[other]:
                swapped = members | {one: members[other], other: members[one]}
                yield list(swapped.items())
        yield [(name, content) for name, content in members.items() if name != one]
    yield [*members.items(), ("more", b"")]


def test_members_that_are_swapped_or_gone_are_noticed(example: Example) -> None:
    for members in _rearranged(members_of(example.content)):
        refused(_with_zip(example.content, _zipped(members)), "is damaged")
        archive = _zipped(members)  # and if the digest is right
        refused(sealed.seal(archive), "not a state that can be restored")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_is_there_twice_is_refused(example: Example) -> None:
    for name, content in members_of(example.content).items():
        twice = [*members_of(example.content).items(), (name, content)]
        refused(sealed.seal(_zipped(twice)), "it has one of its members twice")


def test_other_files_are_refused(tmp_path: Path) -> None:
    refused(b"", "is not a state")
    refused(b"x,time\na,1\n", "the saved state is not a state that antelog wrote")
    refused(_zipped([("state.json", b'{"version": 3}')]), "is of version 3 or before, but this antelog reads")
    line = sealed.seal(b"").replace(f"{sealed.VERSION:04}".encode(), b"0099")
    refused(line, f"is of version 99, but this antelog reads version {sealed.VERSION}; replay the facts")
    refused(sealed.seal(b""), "its archive cannot be read")
    with pytest.raises(StateError, match="cannot be read"):
        Engine.restore(tmp_path)
    with pytest.raises(ArgumentError, match=r"path is .* give a path"):
        Engine.restore(tmp_path / "a\0b")
    with pytest.raises(StateError, match="/dev/zero is not a state"):
        Engine.restore("/dev/zero")


# ---- sizes ----


def test_what_unpacks_to_too_much_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    content = sealed.pack({"state.json": b"{" * 5_000_000})
    assert len(content) < 50_000
    refused(content, r"takes 5,000,000 bytes, .* allow more: `max_bytes=5000000`", max_bytes=4_999_999)
    refused(content, "not a state that can be restored", max_bytes=5_000_000)
    (tmp_path / "state").write_bytes(content)
    with pytest.raises(StateError, match="max_bytes=5000000"):
        Engine.restore(tmp_path / "state", max_bytes=100_000)
    with pytest.raises(StateError, match=f"max_bytes={len(content)}"):
        Engine.restore(tmp_path / "state", max_bytes=100)


def _declaring(size: int) -> bytes:
    """An archive whose directory says that its member is of that size; it is of a million bytes."""
    archive = _zipped([("state.json", bytes(1_000_000))])
    at = archive.index(b"PK\x01\x02") + 24
    return sealed.seal(archive[:at] + struct.pack("<I", size) + archive[at + 4 :])


def test_four_gigabytes_are_refused_unless_asked_for() -> None:
    refused(_declaring(2**32 - 2), "takes 4,294,967,294 bytes, more than the 2,147,483,648 allowed")


def test_no_more_is_unpacked_than_was_declared() -> None:
    assert sealed.unpack(_declaring(1_000_000), "it").keys() == {"state.json"}
    refused(_declaring(10), "its archive cannot be read")
    refused(_declaring(1_000_001), "its archive cannot be read")


# ---- what no engine says of itself ----

ID = -(2**51)
LEAST = np.array(-0.0).view(np.int64).item()
NAN = np.array(np.nan).view(np.int64).item()


def _state(*path: Any, value: Any) -> Callable[[Members], object]:
    return said("state.json", *path, value=value)


def _facts(edit: Callable[[Column], Any]) -> Callable[[Members], object]:
    """Edits the facts of Temp: two cells, time, arrival."""
    return columns("facts/0", 4, edit)


def _put(row: int, at: int, value: int) -> Callable[[Column], None]:
    def edit(table: Column) -> None:
        table[row, at] = value

    return edit


def _press(row: int, value: int) -> Callable[[Members], object]:
    """Edits the first of the remembered atoms of Off: a cell, tick, whether it is true, from when on."""
    return columns("settled/0", 4, _put(row, 0, value))


IMPOSSIBLE: list[tuple[str, Callable[[Members], object], str]] = [
    *(("turbines", _state("now", value=now), r"\$\.now") for now in (-2, 2**53, 10**30, "3", None, 1.5)),
    ("turbines", _state("now", value=2), "arrived at no tick"),
    ("turbines", _state("now", value=-1), "arrived at no tick"),
    ("turbines", _state("more", value=0), "more"),
    ("turbines", _state("begin", value=1), "does not begin at tick 0"),
    ("turbines", _state("begin", value=None), "does not begin at tick 0"),
    ("dates", _state("begin", value=None), "arrived at no tick"),
    ("dates", _state("begin", value=3_000_001), "arrived at no tick"),
    ("dates", _state("begin", value=3_000_004), "begins after its last tick"),
    ("turbines", _state("limit", value=0), r"\$\.limit"),
    ("turbines", _state("forgotten", value=1), "about no tick it keeps"),
    ("turbines", _state("forgotten", value=5), "still to come"),
    ("turbines", _state("until", value={"Hot": 1}), "it has Hot, which belongs to no state"),
    ("turbines", _state("counts", "Temp", "late", value=-1), "counts fewer than no facts of Temp"),
    ("turbines", _state("counts", "Temp", "admitted", value=2**63), "more than there can be"),
    ("turbines", _state("counts", "Site", value={}), "an input that its program has not"),
    ("turbines", _state("dropped", "Temp", value={"facts": 1, "first": 0, "last": 0}), "dropped"),
    ("turbines", _state("given", "Temp", value=[]), "static facts of Temp"),
    ("turbines", _state("given", "Site", 0, value=["wt4"]), "a static fact that Site cannot have"),
    ("turbines", _state("given", "Site", 0, value=["wt9", "7"]), "lacks values"),
    ("turbines", said("values.json", "constants", value=7), "fewer values than constants"),
    ("turbines", said("values.json", "constants", value=0), "lacks values that its program names"),
    ("turbines", said("values.json", "texts", 5, value="high"), "a value has two cells"),
    ("turbines", said("values.json", "texts", value=["wt2", "North Sea"]), "argument 2 is shorter"),
    ("turbines", said("values.json", "texts", 0, value="elsewhere"), "lacks values"),
    ("turbines", said("values.json", "kinds", 4, value=1), "'high' is not a number"),
    ("turbines", said("values.json", "kinds", 4, value=99), "99 is not a valid Kind"),
    *(
        (
            "any",
            said("values.json", "texts", 2, value=text),
            "not a number|not a value of its kind|invalid literal",
        )
        for text in ("1", "0.5", "NaN", "sNaN", "Infinity", "1E+400", "1e5", "01", "9" * 400, "x")
    ),
    ("any", said("values.json", "texts", 1, value="2"), "not a value of its kind"),
    ("turbines", lambda members: members.update({"facts/0": members["facts/0"][:-8]}), "reshape"),
    ("turbines", lambda members: members.update({"facts/0": members["facts/0"][:-3]}), "buffer size"),
    ("turbines", _facts(_put(0, 0, ID + 6)), "column device of Temp has something that stands for no value"),
    ("turbines", _facts(_put(1, 3, -1)), "column level of Temp has something that stands for no value"),
    ("turbines", _facts(_put(1, 3, ID - 1)), "stands for no value"),
    ("turbines", _facts(_put(1, 3, NAN)), "stands for no value"),
    ("turbines", _facts(_put(1, 3, 0)), "a value that is not of type string"),
    ("dates", columns("facts/0", 3, _put(0, 0, LEAST)), "stands for no value"),
    ("dates", columns("facts/0", 3, _put(0, 0, np.array(0.5).view(np.int64).item())), "not of type int64"),
    ("turbines", _facts(_put(2, 0, -1)), "about no tick it keeps"),
    ("turbines", _facts(_put(2, 0, 2**53)), "about no tick it keeps"),
    ("turbines", _facts(_put(2, 0, 1)), "arrived at no tick"),
    ("turbines", _facts(_put(3, 0, 4)), "arrived at no tick"),
    ("turbines", _facts(_put(3, 0, 2)), "arrived too late"),
    ("turbines", _facts(lambda table: np.repeat(table, 2, axis=1)), "a fact of Temp is there twice"),
    ("turbines", types(Temp=pa.struct([("0", pa.string())])), "columns of Temp cannot have the types"),
    ("turbines", types(Temp=pa.struct([("0", pa.string()), ("1", pa.date32())])), "cannot have the types"),
    ("turbines", types(Temp=pa.struct([("0", pa.string()), ("1", pa.list_(pa.int8()))])), "no value is of"),
    ("turbines", types(Mute=pa.struct([("0", pa.int64())])), "columns of Mute cannot have the types"),
    ("turbines", types(Site=pa.struct([("0", pa.string()), ("1", pa.int64())])), "columns of Site cannot"),
    ("turbines", types(Site=pa.string()), "iterable"),
    ("toggle", _state("until", "Off", value=12), "settled up to tick 12"),
    ("toggle", _state("until", "Off", value=-3), "settled up to tick -3"),
    ("toggle", _state("until", value={}), "it has no Off"),
    ("toggle", _press(0, ID + 2), "stands for no value"),
    ("toggle", _press(0, -3), "stands for no value"),
    ("toggle", _press(1, 12), "about no tick that is settled"),
    ("toggle", _press(1, -1), "about no tick that is settled"),
    ("toggle", _press(3, 12), "about no tick that is settled"),
    ("toggle", columns("settled/0", 4, lambda table: np.repeat(table, 2, axis=1)), "there twice"),
    ("cut", _state("limit", value=-5), r"\$\.limit"),
    ("cut", _state("dropped", "Asked", "last", value=3), "cannot have been dropped"),
    ("cut", _state("dropped", "Asked", "first", value=-1), "cannot have been dropped"),
    ("cut", _state("dropped", "Asked", "facts", value=0), "cannot have been dropped"),
    ("cut", lambda members: members.update({"plan.json": b"[" * 100_000}), "not a plan that antelog wrote"),
    ("cut", lambda members: members.update({"state.json": b'{"x":' + b"[" * 100_000}), "x|depth"),
    ("cut", said("plan.json", "version", value=99), "this plan is of version 99"),
    ("cut", said("plan.json", "plan", "relations", 0, "name", value="x"), "its bounds are not those"),
    (
        "cut",
        said("plan.json", "plan", "relations", 0, "bounds", "window", value=1),
        "its bounds are not those",
    ),
]


@pytest.mark.parametrize(("name", "change", "why"), IMPOSSIBLE)
def test_what_no_engine_has_saved_is_refused(
    name: str, change: Callable[[Members], object], why: str
) -> None:
    refused(forged(EXAMPLES[name].content, change), f"not a state that can be restored: .*({why})")


def test_a_limit_that_the_program_cannot_have_is_refused() -> None:
    rules = (
        "New(X, T) :- Seen(X, T), not Known(X, T). "
        "Known(X, T) :- Seen(X, S), Beat(X, T), S < T. query New(X, T)."
    )
    content = Engine(antelog.parse(rules)).to_bytes()
    refused(forged(content, _state("limit", value=10)), "its program cannot have a limit: New rests on")


# ---- whatever is wrong, nothing else is raised ----

VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, -1, 0, 1, 2, 3, 2**31, 2**53, 2**63, -(2**63), 10**40, 0.5, "", "a", "7", [], {}, [[]]]
)
CELLS = st.sampled_from(
    [0, 1, 2, 3, 4, -1, -2, -3, ID, ID + 1, ID + 5, ID + 6, NAN, LEAST, 2**53, 2**62, 2**63 - 1]
)


def _places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    pairs = document.items() if isinstance(document, dict) else enumerate(document)
    for key, found in pairs:
        yield (*path, key)
        if isinstance(found, dict | list):
            yield from _places(found, (*path, key))


def _edited(members: Members, member: str, data: st.DataObject) -> bytes:
    content = members[member]
    if member.endswith(".json"):
        path = data.draw(st.sampled_from(list(_places(json.loads(content)))))
        value = data.draw(VALUES)
        # A program that looks back so many ticks needs as much memory as it would if it were compiled.
        assume(member != "plan.json" or value not in (2**31, 2**53))
        said(member, *path, value=value)(members)
        return members[member]
    wrong = bytearray(content)
    if member.endswith(".arrow") or len(wrong) < 8:
        wrong += data.draw(st.binary(max_size=3))
        wrong[data.draw(st.integers(0, len(wrong) - 1)) :][:1] = b"\xff"
        return bytes(wrong)
    at = 8 * data.draw(st.integers(0, len(wrong) // 8 - 1))
    wrong[at : at + 8] = struct.pack("<q", data.draw(CELLS))
    return bytes(wrong)


@given(st.sampled_from(list(EXAMPLES)), st.data())
def test_whatever_is_made_up_is_refused_or_goes_on(name: str, data: st.DataObject) -> None:
    example = EXAMPLES[name]
    members = members_of(example.content)
    for _ in range(data.draw(st.integers(1, 2))):
        member = data.draw(st.sampled_from([each for each in members if members[each]]))
        members[member] = _edited(members, member, data)
    with suppress(StateError):
        example.told(sealed.pack(members), data.draw(st.sampled_from([None, example.program])))
