"""The interface of asked literals: when they are true and false, given the atoms they ask for.

    not Shdn(X, T+2)    asks for Shdn(wt2, 2) where X = wt2, T = 0; true once that is false, and conversely

To add a kind: a module in this folder with a class like `AskedKind`, and a line in the table of the folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from antelog.engine.step.derivations import Truth


class AskedKind(Protocol):
    """A kind of literal that asks for atoms of relations, once all its variables have values."""

    def truth(self, found: Sequence[Truth]) -> Truth:
        """The truth of the literal, given that of the atoms of each of its references."""
        ...
