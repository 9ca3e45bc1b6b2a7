"""The table of judges of open answers.

To add a judge, write a module with a subclass of `antelog.forecast.outcomes.rows.Judge`, and a line for it in
JUDGES.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from antelog.compile.nodes.plan import Plan
from antelog.errors import DataError
from antelog.forecast.columns import JUDGE_NAMES, OUTCOMES, VALUES
from antelog.forecast.outcomes.outcomes import nothing_known
from antelog.forecast.outcomes.rows import Judge
from antelog.forecast.values.fitting import can_fit
from antelog.forecast.values.latest import NO_FEATURES, QueryFeatures
from antelog.forecast.values.looks import looks_of
from antelog.forecast.values.values_judge import nothing_fitted
from antelog.lazily import brought_by

OF_MODEL = 2.0
"""What the model of facts weighs before anything is known of it."""


@dataclass(frozen=True, eq=False)
class JudgeSettings:
    """The input of a new judge of a query.

    The number of columns in the key of its answers, the longest half-life, and the features of its answers.
    """

    keys: int
    half_life: float | None
    features: QueryFeatures = NO_FEATURES


NewJudge = Callable[[JudgeSettings], Judge | None]
"""Makes a judge before anything is known; None where it could never say anything."""

Judges = Mapping[str, NewJudge]

JUDGES: Judges = {
    OUTCOMES: lambda given: nothing_known(given.keys, given.half_life),
    VALUES: lambda given: nothing_fitted(given.features.width) if given.features.looks else None,
}
"""The judges besides the model of facts, by name."""


def check_values(plan: Plan, names: Collection[str] | None, *, learns: bool) -> None:
    """Raises DataError if the judge of values is named, and can say nothing about a plan."""
    if VALUES not in (names or ()):
        return
    if learns and not can_fit():
        raise DataError(
            f"the judge {VALUES!r} learns with scikit-learn, which is not installed: "
            f"{brought_by(VALUES)}. Or name other judges"
        )
    if {*(names or ())} == {VALUES} and not any(looks_of(plan, query.name) for query in plan.queries):
        raise DataError(
            f"no query compares values, as `V >= 90` does, so there is nothing for the judge {VALUES!r} to "
            "look at: name other judges, or leave them out"
        )


def check_judges(names: Collection[str] | None) -> None:
    """Raises DataError if there is no judge of a name, or if there is none at all."""
    known = ", ".join(JUDGE_NAMES)
    for name in names or ():
        if name not in JUDGE_NAMES:
            raise DataError(f"there is no judge {name!r}; there are {known}")
    if names is not None and not names:
        raise DataError(f"without a judge there are no chances: name some of {known}, or leave it out")
