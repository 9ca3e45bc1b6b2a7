"""Makes garbage collection faster, which Spark's Python workers do after each task."""

from __future__ import annotations

import gc

_FIRST_TASKS = 10
"""In its first tasks, this many, a worker may load something that stays, as Arrow loads pandas."""

_begun = 0


def spare() -> None:
    """Exempts all objects in memory at the start of a task from garbage collection: mostly modules.

    Spark's worker scans everything after each task, which takes longer than a small task. Objects that exist
    when one of its first tasks begins, just after a collection, stay as long as the worker.
    """
    global _begun  # noqa: PLW0603 - once for each process
    if _begun < _FIRST_TASKS:
        gc.freeze()
        _begun += 1
