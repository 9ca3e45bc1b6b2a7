"""antelog/lazily.py: what is imported only once it is needed, so that what needs little starts quickly."""

from __future__ import annotations

import pytest

import antelog
import antelog.files
import antelog.pictures
import antelog.spark
from tests.processes import loaded_by

_ARRAYS = {"numpy", "pyarrow", "antelog.engine.kernel"}

_CHECK = """
from antelog.cli.main import main
main(["check", "examples/turbines/turbines.alog"], standalone_mode=False)
"""
_PARSE = """
import antelog
antelog.load("examples/turbines/turbines.alog")
"""
_OPERATOR = "import antelog.spark.bucket.processor"


_COMMAND = """
import os
from antelog.cli.main import main
os.environ.update({variables})
try:
    main({arguments}, prog_name="antelog")
except SystemExit as end:
    assert not end.code
"""


@pytest.mark.parametrize(
    ("arguments", "variables", "most"),
    [
        (["--help"], {}, 30),
        (["--version"], {}, 30),
        ([], {"_ANTELOG_COMPLETE": "bash_complete", "COMP_LINE": "antelog w"}, 30),
        (["check", "--help"], {}, 130),
    ],
)
def test_help_loads_little(arguments: list[str], variables: dict[str, str], most: int) -> None:
    loaded = loaded_by(_COMMAND.format(arguments=arguments, variables=variables))
    assert "antelog.cli.main" in loaded
    assert not {*loaded} & _ARRAYS
    assert sum(name.startswith("antelog.") for name in loaded) <= most


@pytest.mark.parametrize("code", [_CHECK, _PARSE])
def test_reading_a_program_loads_nothing_that_runs_it(code: str) -> None:
    loaded = set(loaded_by(code))
    assert "antelog.compile.passes" in loaded
    assert not loaded & _ARRAYS


def test_the_operator_of_a_stream_loads_nothing_that_computes() -> None:
    # Spark starts a Python for each query, just to ask the operator for the shape of its state.
    loaded = set(loaded_by(_OPERATOR))
    assert "pyspark.sql.streaming.stateful_processor" in loaded
    assert not {"antelog.compile", "antelog.engine", "antelog.run"} & loaded


@pytest.mark.parametrize("package", [antelog, antelog.files, antelog.pictures, antelog.spark])
def test_all_names_are_there(package: object) -> None:
    names = package.__all__  # type: ignore[attr-defined]  # every package of these has one
    assert dir(package) == sorted(names)
    assert all(getattr(package, name) is not None for name in names)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'antelog' has no attribute 'pars'"):
        _ = antelog.pars  # type: ignore[attr-defined]  # that is the point
