"""Cases of a test as data: tables in a file of TOML beside it, with a key for each parameter."""

import tomllib
from pathlib import Path

import pytest


def cases(file: str, name: str, *more: tuple[object, ...]) -> pytest.MarkDecorator:
    """The cases of a table, given the module's file, and more that are computed; if named, by their names."""
    text = Path(file).with_suffix(".toml").read_text(encoding="utf-8")
    found = tomllib.loads(text)[name]
    ids, rows = (None, found) if isinstance(found, list) else ([*found], [*found.values()])
    values = [pytest.param(*each) for each in (*(row.values() for row in rows), *more)]
    return pytest.mark.parametrize(",".join(rows[0]), values, ids=ids)
