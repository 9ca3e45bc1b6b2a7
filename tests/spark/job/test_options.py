"""antelog/spark/job/options.py: each function takes its own, and says so of the others."""

from dataclasses import fields

import pytest

from antelog.spark.job.options import (
    ClockOptions,
    ForAnswers,
    ForChanges,
    ForecastOptions,
    ForRejects,
    Options,
    options_of,
)


def test_names_are_those_of_the_options() -> None:
    own = {each.name for group in (Options, ClockOptions, ForecastOptions) for each in fields(group)}
    assert set(ForChanges.__annotations__) == own - {"times", "chances"}


def test_what_is_given_is_kept_and_the_rest_is_usual() -> None:
    assert options_of("changes", ForChanges, {"lag": 3, "buckets": 4, "learn": True}) == (
        Options(buckets=4, times=ClockOptions(lag=3), chances=ForecastOptions(learn=True))
    )


@pytest.mark.parametrize(
    ("taken", "given", "said"),
    [
        (ForChanges, "buckts", "f() has no option buckts. Did you mean buckets?"),
        (ForRejects, "only", "f() has no option only. It has clock, arrival,"),
        (ForAnswers, "lag", "f() has no option lag. "),
    ],
)
def test_an_option_a_function_has_not(taken: type, given: str, said: str) -> None:
    with pytest.raises(TypeError) as error:
        options_of("f", taken, {given: 1})
    assert str(error.value).startswith(said)
