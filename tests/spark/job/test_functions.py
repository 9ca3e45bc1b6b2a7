"""antelog/spark/job/functions.py: the functions that are sent are the ones that arrive."""

from __future__ import annotations

from antelog.spark.job.functions import received, sent
from tests.random_functions import FUNCTIONS


def test_several_functions_of_one_module_are_sent() -> None:
    found = received(sent(FUNCTIONS))
    assert {name: each.takes for name, each in found.items()} == dict.fromkeys(FUNCTIONS, "values")
    assert (found["half"](8), found["tag"]("a"), found["near"](1, 9)) == (4, "t-a", False)


def test_without_functions_nothing_is_sent() -> None:
    assert sent({}) == b""
    assert not received(b"")
