"""What makes Spark's Python workers faster: they collect garbage after each task."""

from __future__ import annotations

import gc

_frozen = False


def spare() -> None:
    """Lets the collector pass over all that is in memory now: the modules, most of all.

    Spark's worker looks at everything after each task, which takes longer than a small task. What
    is there the first time stays for as long as the worker does.
    """
    global _frozen  # noqa: PLW0603 - once for each process
    if not _frozen:
        gc.freeze()
        _frozen = True
