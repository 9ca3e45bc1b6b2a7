"""`not P(X, T)`: true once the atom is false, false once it is true."""

from __future__ import annotations

from collections.abc import Sequence

from antelog.engine.step.derivations import Truth


class NegationKind:
    """The kind of negated atoms."""

    def truth(self, found: Sequence[Truth]) -> Truth:
        (atom,) = found
        return Truth(atom.false_at, atom.true_at, atom.settled)
