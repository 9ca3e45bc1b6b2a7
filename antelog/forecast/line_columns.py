"""Columns of lines: how likely an open answer is, by when, and which judge says so.

chance  forecast                      chance_from    holds
0.64    [[2, 0.14], [3, 0.43], …]     model          null
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from antelog.engine.columns.joins import spread
from antelog.engine.columns.tables import Column, Numbers, sorting
from antelog.forecast.columns import COLUMNS, FORECAST, HOLDS
from antelog.forecast.inference.chances import Chances


class LineColumns:
    """The columns of a table's rows, put together bit by bit; `sources` are the names for `chance_from`."""

    def __init__(self, rows: int, sources: Sequence[str], *, lossy: bool) -> None:
        self._names = pa.array(sources, pa.string())
        self._chance, self._holds = np.full((2, rows), np.nan)
        self._source = np.full(rows, -1)
        self._grown: list[tuple[Column, Column, Numbers]] = []
        self._lossy = lossy

    def put(self, rows: Column, chance: Numbers, source: Column) -> None:
        """The chances of some rows, and the numbers of their sources."""
        self._chance[rows] = chance
        self._source[rows] = source

    def grow(self, rows: Column, ticks: Column, found: Chances) -> None:
        """How the chances of some rows grow, the answers being about these ticks.

        Where a row's chance is another than the model's, it grows in proportion.
        """
        known = np.flatnonzero(found.which >= 0)
        # In the order of the table: to sort what each of the rows has is more.
        known = known.take(sorting(rows.take(known)))
        which = found.which.take(known)
        counts = found.growth.counts(len(found.chance))
        first = np.cumsum(counts) - counts
        whose, entry = spread(first.take(which), counts.take(which))
        row = rows.take(known).take(whose)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = self._chance.take(row) / found.chance.take(which).take(whose)
        grown = found.growth.chance.take(entry) * np.where(np.isfinite(share), share, 0)
        at = ticks.take(known).take(whose) + found.growth.at.take(entry)
        self._grown.append((row, at, np.minimum(grown, 1)))

    def hold(self, rows: Column, found: Chances) -> None:
        """Sets the chances that the answers of rows hold."""
        self._holds[rows] = np.append(found.holds, np.nan).take(found.which)

    def table(self, lines: pa.Table) -> pa.Table:
        """The lines with their columns."""
        known = ~np.isnan(self._chance)
        sources = self._names.take(pa.array(self._source, mask=self._source < 0))
        columns = [pa.array(self._chance, mask=~known), self._lists(known), sources]
        for field, column in zip(COLUMNS, columns, strict=True):
            lines = lines.append_column(field, column)
        if self._lossy:
            lines = lines.append_column(HOLDS.field(0), pa.array(self._holds, mask=np.isnan(self._holds)))
        return lines

    def _lists(self, known: Column) -> pa.Array:
        """The forecasts; null where nothing says how a chance grows."""
        if not self._grown:
            return pa.nulls(len(known), FORECAST)
        row, tick, chance = (np.concatenate(columns) for columns in zip(*self._grown, strict=True))
        order = sorting(row)
        offsets = np.append(0, np.cumsum(np.bincount(row, minlength=len(known)))).astype(np.int32)
        fields = [pa.array(tick.take(order)), pa.array(chance.take(order))]
        values = pa.StructArray.from_arrays(fields, ["tick", "chance"])
        return pa.ListArray.from_arrays(pa.array(offsets), values, mask=pa.array(offsets[1:] == offsets[:-1]))
