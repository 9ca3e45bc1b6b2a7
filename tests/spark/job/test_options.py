"""antelog/spark/job/options.py: each function takes its own options, and says so of the others."""

import inspect

import pytest

import antelog.spark
from antelog.run.options import keywords, taken
from antelog.run.settings import Settings
from antelog.spark.job.options import AnswerOptions, ChangeOptions, LearnOptions, OutputOptions, RejectOptions


def test_options_are_settings_of_all_runners() -> None:
    own = set(inspect.signature(ChangeOptions).parameters) - {"static", "query"}
    assert own < set(inspect.signature(Settings).parameters)


def test_functions_have_the_options_as_keywords() -> None:
    names = list(inspect.signature(antelog.spark.learn).parameters)
    assert names == ["program", "inputs", "static", "arrival", "until", "clock", "begin", "buckets"]
    assert "lag" in inspect.signature(antelog.spark.changes).parameters


def test_options_of_a_function_are_those_of_a_run() -> None:
    given = keywords(LearnOptions, "learn", {"buckets": 4, "until": 7})
    assert taken(OutputOptions, given, only=()) == OutputOptions(buckets=4, until=7, only=())
    assert taken(OutputOptions, ChangeOptions(query="Malf", lag=3)) == OutputOptions(lag=3)


@pytest.mark.parametrize(
    ("taken", "given", "said"),
    [
        (ChangeOptions, "buckts", "f() has no option buckts. Did you mean buckets?"),
        (RejectOptions, "only", "f() has no option only. It has static, arrival,"),
        (AnswerOptions, "lag", "f() has no option lag. "),
    ],
)
def test_an_option_a_function_has_not(taken: type, given: str, said: str) -> None:
    with pytest.raises(TypeError) as error:
        keywords(taken, "f", {given: 1})
    assert str(error.value).startswith(said)
