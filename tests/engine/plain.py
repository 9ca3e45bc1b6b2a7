"""An engine without chances, also for programs that declare them."""

from __future__ import annotations

from typing import Any

from antelog.process import Engine, Planned


class PlainEngine(Engine):
    """Reports what the kernel finds, and nothing else."""

    def __init__(self, program: Planned, **options: Any) -> None:
        super().__init__(program, **options)
        self._forecaster = None
