"""Files of facts: CSV, JSON lines and Parquet, read piece by piece into Arrow tables with times as ticks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antelog.lazily import names_of

if TYPE_CHECKING:
    from antelog.files.columns import ARRIVAL, LINE, WantedColumns
    from antelog.files.naming import Form, form_of
    from antelog.files.reading import tables
    from antelog.files.setting_aside import Reject, Rejects, rejects_to

__all__ = ["ARRIVAL", "LINE", "Form", "Reject", "Rejects", "WantedColumns", "form_of", "rejects_to", "tables"]

_FROM = {
    **dict.fromkeys(("ARRIVAL", "LINE", "WantedColumns"), "columns"),
    **dict.fromkeys(("Form", "form_of"), "naming"),
    **dict.fromkeys(("Reject", "Rejects", "rejects_to"), "setting_aside"),
    "tables": "reading",
}

# To know a file by its name takes none of what reads it.
if not TYPE_CHECKING:  # a checker of types would take any name for one of these
    __getattr__ = names_of(__name__, _FROM)


def __dir__() -> list[str]:
    return __all__
