"""The list of what comes with antelog: what a library needs comes too, and each extra brings its own."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from scripts.dependencies import MissingError, closure, elsewhere, runtime

PROJECT = """
[project]
dependencies = ["rich>=13"]
[project.optional-dependencies]
page = ["uvicorn"]
dev = ["pytest"]
far = ["colorama; sys_platform == 'nowhere'"]
"""


def test_libraries_bring_theirs() -> None:
    found = runtime(PROJECT)
    assert found["rich"].version == version("rich")
    assert found["mdurl"].extras == ()  # rich needs markdown-it-py, which needs it
    assert found["h11"].extras == ("page",)
    assert "pytest" not in found, "those who use antelog do not get it"


def test_a_library_that_is_needed_elsewhere_is_none_of_ours_here() -> None:
    assert "colorama" not in runtime(PROJECT)
    assert "colorama" in elsewhere(PROJECT)
    assert "rich" not in elsewhere(PROJECT)


def test_an_extra_of_a_library_is_followed() -> None:
    with pytest.raises(MissingError):  # it needs a library of its own, which is not here
        closure(["lark[interegular]"])
    assert closure(["lark"]) == {"lark"}


def test_what_is_not_installed_is_named() -> None:
    with pytest.raises(MissingError, match=r"no-such-library is not installed here.*make setup"):
        closure(["no-such-library>=1"])


def test_users_get_what_the_project_says() -> None:
    found = runtime()
    assert {"numpy", "pyarrow", "pyspark", "altair", "starlette", "confluent-kafka"} <= set(found)
    assert not {"pytest", "mypy", "mkdocs"} & set(found)
    assert found["numpy"].extras == ()
    assert found["pyspark"].extras == ("spark",)
