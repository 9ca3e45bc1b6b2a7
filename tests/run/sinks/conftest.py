"""What the tests of telling share with those of the command line."""

from tests.cli.conftest import here

__all__ = ["here"]
