"""antelog/spark/job/options.py: each function takes its own, and says so of the others."""

from dataclasses import fields

import pytest

from antelog.spark.job.options import ForAnswers, ForChanges, ForRejects, Options, options_of


def test_names_are_those_of_the_options() -> None:
    assert set(ForChanges.__annotations__) == {each.name for each in fields(Options)}


def test_what_is_given_is_kept_and_the_rest_is_usual() -> None:
    assert options_of("changes", ForChanges, {"lag": 3}) == Options(lag=3)


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
