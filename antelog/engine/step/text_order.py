"""The order of literals: numbers for their texts, which sort by time, then text.

Until a text is made it is a number: the time has a rank among all times, each argument one among the texts
in its place, and the ranks of a literal together make a number. For texts sort piece by piece, since no piece
but the last begins with another in its place: it ends with a comma, a bracket or a blank, which within it are
in quotes only. Where a range begins in another text, `0..` before 2, the time itself stands in that place to
sort by.

    A(a, 2), not B(a, 0..2), not B(a, 2), Wind(a, 3)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, zip_longest

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.compile.literals.terms import Time, time_text
from antelog.engine.columns.tables import ROOM, Column, numbered
from antelog.engine.step.literal_texts import CLOSED, COMMA, Argument, Piece, Text, TickText, Word
from antelog.engine.values.decoding import in_pieces, sorted_by_arrow

_MANY = 4096
"""Up to this many names, renaming texts so that fewer are left costs more than it saves."""

_END = Piece("")


def numbered_texts(texts: Sequence[Text], counts: Sequence[int]) -> tuple[list[Column], pa.Array]:
    """For columns of literals numbers that sort by time, then text, and the texts they stand for."""
    keys = [np.zeros(count, np.int64) for count in counts]
    size = 1
    steps: list[tuple[pa.Array, Column | None]] = []
    ranged = any(text.ranged for text in texts)
    opened = (text.sorted_opening if ranged else text.opening for text in texts)
    openings = [*zip_longest(*opened, fillvalue=_END)]
    closings = zip_longest(*(text.closing for text in texts), fillvalue=_END)
    times = _ranked_times([text.time for text in texts])
    for place, given in enumerate(chain([times], map(_ranked, chain(openings, closings)))):
        names, ranks = _tight(*given)
        shown = _shown(names) if ranged and 0 < place <= len(openings) else names
        if size > ROOM // len(names):
            values, keys = _renumbered(keys)
            steps.append((None, values))
            size = len(values)
        steps.append((shown, None))
        if len(names) > 1:
            keys = _appended(keys, len(names), ranks) if size > 1 else _spread(ranks, counts)
            size *= len(names)
    rest, keys = _renumbered(keys)
    written: list[tuple[pa.Array, Column | None]] = []
    for names, values in reversed(steps):
        if values is not None:
            rest = values.take(rest)
        elif len(names) == 1:
            written.append((names, None))
        else:
            before = rest // len(names)  # twice as fast as `divmod`
            written.append((names, rest - before * len(names)))
            rest = before
    time, *around = written[::-1]
    return keys, in_pieces([*around[: len(openings)], time, *around[len(openings) :]], len(rest))


def _shown(names: pa.Array) -> pa.Array:
    """Names without those that are there to sort by: nothing else in an opening ends with a bracket."""
    return pc.if_else(pc.ends_with(names, CLOSED), "", names)


def _tight(names: pa.Array, ranks: Sequence[Column | int]) -> tuple[pa.Array, Sequence[Column | int]]:
    """The names and ranks, with only the names from the first to the last that occurs, if there are many."""
    if len(names) < _MANY:
        return names, ranks
    different = {id(rank): rank for rank in ranks if isinstance(rank, int) or len(rank)}.values()
    first = min((int(np.min(rank)) for rank in different), default=0)
    last = max((int(np.max(rank)) for rank in different), default=0)
    less = {id(rank): rank - first for rank in ranks}
    return names[first : last + 1], [less[id(rank)] for rank in ranks]


def _appended(keys: Sequence[Column], count: int, ranks: Sequence[Column | int]) -> list[Column]:
    """Keys for texts followed by one of `count` further texts."""
    # Several literals often begin alike, and then have the same keys, and the same ranks.
    made: dict[tuple[int, int], Column] = {}
    for key, rank in zip(keys, ranks, strict=True):
        if (id(key), id(rank)) not in made:
            made[id(key), id(rank)] = key * count + rank
    return [made[id(key), id(rank)] for key, rank in zip(keys, ranks, strict=True)]


def _spread(ranks: Sequence[Column | int], counts: Sequence[int]) -> list[Column]:
    """Ranks as keys; a single one is that of all rows."""
    return [
        np.full(count, rank) if isinstance(rank, int) else rank
        for rank, count in zip(ranks, counts, strict=True)
    ]


def _ranked(given: Sequence[Argument]) -> tuple[pa.Array, Sequence[Column | int]]:
    """The different texts of pieces, sorted, and for each piece which of them its rows have."""
    fixed = [part.names for part in given if isinstance(part, Piece) and isinstance(part.names, str)]
    if len(fixed) == len(given) and len(set(fixed)) == 1:
        return pa.array(fixed[:1]), [0] * len(given)
    words = [part for part in given if isinstance(part, Word)]
    if words and len(words) + len(fixed) == len(given):
        others = tuple(sorted(set(fixed)))
        known = words[0].values.ranked([word.cells for word in words], COMMA, others)
        if known is not None:
            names, found, rank_of = known
            places = iter(found)
            return names, [rank_of[p.names] if isinstance(p, Piece) else next(places) for p in given]
    pieces = [part if isinstance(part, Piece) else part.piece() for part in given]
    texts = sorted(set(fixed))
    # What has been looked up once for several literals is one object.
    arrays = {id(piece.names): piece.names for piece in pieces if not isinstance(piece.names, str)}
    whole = pa.concat_arrays([pa.array(texts, pa.string()), *arrays.values()])
    names, ranks = whole, np.arange(len(whole))
    if arrays:
        names, ranks = sorted_by_arrow(whole)
    rank_of = dict(zip(texts, ranks.tolist(), strict=False))
    ends = accumulate(map(len, arrays.values()), initial=len(texts))
    ranks_of = {key: ranks[end:] for key, end in zip(arrays, ends, strict=False)}
    return names, [
        rank_of[piece.names] if piece.which is None else ranks_of[id(piece.names)].take(piece.which)
        for piece in pieces
    ]


def _ranked_times(times: Sequence[TickText | Time]) -> tuple[pa.Array, list[Column | int]]:
    """The texts of times in order, and for each time which of them its rows have.

    Ticks come first. Times that are still open come after all of them, by offset, then name.
    """
    ticks, ranks = _ranked_ticks([time for time in times if isinstance(time, TickText)])
    open_ = {(time.offset, time_text(time)) for time in times if isinstance(time, Time)}
    place = {text: at for at, (_, text) in enumerate(sorted(open_), len(ticks))}
    names = pa.concat_arrays([pc.cast(pa.array(ticks), pa.string()), pa.array(place, pa.string())])
    known = iter(ranks)
    return names, [place[time_text(time)] if isinstance(time, Time) else next(known) for time in times]


def _ranked_ticks(times: Sequence[TickText]) -> tuple[Column, list[Column]]:
    """The different ticks, in order, and for each time which of them its rows have."""
    there = [time for time in times if len(time.ticks)]
    if not there:
        return np.zeros(0, np.int64), [time.which for time in times]
    least = min(int(time.ticks[0]) + time.offset for time in there)
    most = max(int(time.ticks[-1]) + time.offset for time in there)
    dense = all(int(time.ticks[-1] - time.ticks[0]) < len(time.ticks) for time in there)
    if dense and most - least <= 2 * sum(len(time.ticks) for time in there):
        # The ticks of each have no gap, so that numbers which count them are at hand.
        return np.arange(least, most + 1), [
            time.which + (int(time.ticks[0]) + time.offset - least) if len(time.ticks) else time.which
            for time in times
        ]
    different, at = numbered(np.concatenate([time.ticks + time.offset for time in times]))
    split = _split(at, [len(time.ticks) for time in times])
    return different, [rank.take(time.which) for rank, time in zip(split, times, strict=True)]


def _split(column: Column, sizes: Sequence[int]) -> list[Column]:
    ends = list(accumulate(sizes))
    return [column[end - size : end] for end, size in zip(ends, sizes, strict=True)]


def _renumbered(keys: Sequence[Column]) -> tuple[Column, list[Column]]:
    """The different keys, sorted, and their positions there in place of the keys."""
    values, which = numbered(np.concatenate(keys))
    return values, _split(which, [len(key) for key in keys])
