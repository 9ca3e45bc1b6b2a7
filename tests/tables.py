"""Tables of cases that are data: they stand in the `.toml` file beside their test."""

import tomllib
from pathlib import Path
from typing import Any


def table(test: str, name: str) -> list[Any]:
    """The cases of this name, for `parametrize`; `test` is the path of the test file."""
    found: list[Any] = tomllib.loads(Path(test).with_suffix(".toml").read_text("utf-8"))[name]
    return found
