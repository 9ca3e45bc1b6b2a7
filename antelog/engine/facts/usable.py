"""Warns of frames most of whose rows cannot be used, and refuses those of which none can.

    Temp: none of its 4,032 rows can be used: the time `soon` is not a whole number, as in ["wt2", 91]

A frame of which nothing was understood would look like one in which nothing happened.
"""

from __future__ import annotations

import warnings

import pyarrow as pa
import pyarrow.compute as pc

from antelog.accounts import FATES, PARTICULAR, REASONS, Counts
from antelog.engine.facts.admission import Admitted
from antelog.engine.facts.rejects import CONFLICTING, EARLY, LATE, MALFORMED
from antelog.errors import DataError, DataWarning

_MANY = 20
"""In frames of fewer rows it is ordinary that most are late, early, or claim a slot another one holds."""
_CALLER = 4
"""The stack level of the line that called `advance`, above the check of its arguments."""
_LONGEST = 200
"""The most characters of an example."""
_REMEDIES = {
    LATE: "Hand them over before, have a column with their arrivals, or declare a longer delay",
    EARLY: "Advance to a later tick, or have a column with their arrivals",
    CONFLICTING: "The input is declared `one per` with fewer columns than distinguish these facts",
    MALFORMED: "Mend the columns, or leave these rows out",
}


def check_use(batch: Admitted) -> None:
    """Warns of frames of which more than half is set aside. Raises DataError if no row is of use."""
    for name, counts in batch.counts.items():
        aside = {reason: getattr(counts, reason) for reason in REASONS if getattr(counts, reason)}
        count = sum(aside.values()) if counts.given >= _MANY else batch.of_no_use[name]
        if counts.given < 2 or 2 * count <= counts.given:
            continue  # a single row says nothing of those to come
        rejects = batch.rejects.filter(pc.equal(batch.rejects.column("input"), name))
        if batch.of_no_use[name] == counts.given:
            raise DataError(f"{name}: none of its {counts.given:,} rows can be used: {_mostly(rejects)}")
        warnings.warn(_warning(name, counts, aside, rejects), DataWarning, stacklevel=_CALLER)


def _warning(name: str, counts: Counts, aside: dict[str, int], rejects: pa.Table) -> str:
    each = ", ".join(f"{count:,} {FATES[reason]}" for reason, count in aside.items())
    reason = max(aside, key=aside.__getitem__)
    said = _mostly(rejects.filter(pc.equal(rejects.column("reason"), reason)))
    return (
        f"{name}: {sum(aside.values()):,} of {counts.given:,} rows were set aside ({each}); {said}. "
        f"{_REMEDIES[reason]}; `rejects` of the engine has them, each with its reason"
    )


def _mostly(rejects: pa.Table) -> str:
    """The most common reason of rejects, with the first example."""
    kinds = pc.replace_substring_regex(rejects.column("detail"), PARTICULAR, "…")
    each = pc.value_counts(kinds)
    numbers = each.field("counts").to_numpy()
    most = int(numbers.argmax())
    alike = rejects.filter(pc.equal(kinds, each.field("values")[most]))
    detail, row = (alike.column(name)[0].as_py() for name in ("detail", "values"))
    mostly = "" if numbers[most] == len(rejects) else "mostly "
    return f"{mostly}{detail}, as in {row[:_LONGEST]}{'…' if len(row) > _LONGEST else ''}"
