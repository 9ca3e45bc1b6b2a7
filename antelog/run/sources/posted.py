"""The source `http:`: facts that are posted to the page. The inbox has them until a state does."""

from __future__ import annotations

from antelog.files.columns import Advice, WantedColumns
from antelog.files.json_files import JsonRows
from antelog.run.sources.source import FactSource, Mark, SourceExtent, SourcePiece
from antelog.run.store import Inbox

_NAME = "http:"
_MOST = 50_000
"""The facts that are taken at a time, or those of one post if they are more."""


class PostedFacts(FactSource):
    """Reads the facts that were posted for an input."""

    def __init__(self, inbox: Inbox, wanted: WantedColumns, *, mark: Mark | None = None) -> None:
        super().__init__()
        self._inbox, self._input = inbox, wanted.name
        self._line = int((mark or {}).get("line", 0))
        self._forgotten = 0
        self._rows = JsonRows(_NAME, Advice(wanted, self.notes))
        # Names with dots may be paths into fields, which only who reads the fact knows.
        inbox.accept(wanted.name, [name for name in wanted.required if wanted.declared and "." not in name])

    @property
    def mark(self) -> Mark:
        return {"line": self._line}

    @property
    def extent(self) -> SourceExtent:
        return SourceExtent(self._line, self._inbox.posted(self._input), "rows")

    def poll(self) -> list[SourcePiece]:
        found = self._inbox.read(self._input, self._line, _MOST)
        self.behind = len(found) >= _MOST
        if not found:
            return []
        self._line = found[-1].line
        return [SourcePiece(self._rows.chunk((each.line, each.fact) for each in found), _NAME)]

    def saved(self) -> None:
        if self._line > self._forgotten:
            self._inbox.forget(self._input, self._line)
            self._forgotten = self._line
