"""Makes Spark's Python workers faster, which collect garbage after each task."""

from __future__ import annotations

import gc

_FIRST_TASKS = 10
"""In its first tasks, this many, a worker may load something that stays, as Arrow loads pandas."""

_begun = 0


def spare() -> None:
    """Lets the collector pass over all that is in memory when a task begins: the modules, most of all.

    Spark's worker looks at everything after each task, which takes longer than a small task. What is
    there when one of its first tasks begins, just after Spark has collected the rest, stays for as long
    as the worker does.
    """
    global _begun  # noqa: PLW0603 - once for each process
    if _begun < _FIRST_TASKS:
        gc.freeze()
        _begun += 1
