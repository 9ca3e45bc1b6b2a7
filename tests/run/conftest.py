"""The folder with a program and its readings, as the tests of commands have it."""

from tests.cli.conftest import here

__all__ = ["here"]
