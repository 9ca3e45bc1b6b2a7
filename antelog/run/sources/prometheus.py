"""Results of a query of Prometheus, or of what answers as it does: a fact for each series and step.

    up{job="plant", instance="a:1"}  at 10:00:15  1      job, instance, value and time are columns
       asked ├───────11,000 steps at most───────┤  lag  now       the mark is the next step to be asked for

Steps are at multiples of their length, so a step that is asked for again gives what it gave before.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
import pyarrow as pa

from antelog.errors import DataError
from antelog.files.cells import NUMBERS
from antelog.files.columns import WantedColumns
from antelog.files.reading import table_chunks
from antelog.lazily import brought_by, libraries
from antelog.run.door import SourceAddress, Url
from antelog.run.sources.source import ConnectedSource, FactSource, Mark, SourceExtent, SourcePiece
from antelog.run.values import SettingError, duration

_DURATIONS = {"every": 15_000_000, "lag": 30_000_000, "since": 0}  # in microseconds, unless others are given
_OPTIONS = ("query", "query-file", *_DURATIONS)
_PATIENCE = (5.0, 10.0, 10.0, 5.0)  # seconds to connect, to read, to write and for a free connection
_MOST_STEPS = 11_000  # for each series, which is the server's limit
_MOST_ROWS = 200_000  # about so many at a time
_FIRST = 100  # steps that are asked for first, while it is not known how many series there are
_RETRIED = (408, 422, 429)  # answers of 400 and more after which trying again may help


@dataclass(frozen=True)
class Prometheus(SourceAddress):
    """A query, and the API that answers it; durations are in milliseconds."""

    noun: ClassVar[str] = "results of a query of Prometheus"
    example: ClassVar[str] = "prometheus://host:9090?query=up&every=15s"
    package: ClassVar[str] = "httpx"
    install: ClassVar[str] = brought_by("prometheus")
    shown: str
    api: str
    query: str
    every: int
    lag: int
    since: int
    client: Mapping[str, Any] = field(repr=False, compare=False)  # the settings of a client
    ca: str | None = None  # the file with who signs the certificate, if the system does not know them

    @classmethod
    def read(cls, url: Url) -> Prometheus:
        secure = url.scheme == "prometheuss"
        url.only(*_OPTIONS, *(["ca"] if secure else []), example=cls.example)
        query, file = url.options.get("query", "").strip(), url.file("query-file")
        if file is not None:
            query = Path(file).read_text("utf-8", errors="replace").strip()
        if not query:
            raise SettingError(f"`{url.shown}` lacks a query", f"Write {cls.example}.")
        every, lag, since = (
            url.option(name, default, duration) // 1000 for name, default in _DURATIONS.items()
        )
        host, port = url.host(9090)
        place = f"{f'[{host}]' if ':' in host else host}:{port}"
        api = "/".join(filter(None, (place, url.path, "api/v1/query_range")))
        client: dict[str, Any] = {"timeout": _PATIENCE}
        if url.user:
            client["auth"] = (url.user, url.password)
        elif url.password:
            client["headers"] = {"Authorization": f"Bearer {url.password}"}
        return cls(
            f"{url.shown}?query={' '.join(query.split())}", f"http{'s' if secure else ''}://{api}", query,
            every, lag, since, client, url.file("ca"),
        )  # fmt: skip

    def source(self, wanted: WantedColumns, mark: Mark | None) -> FactSource:
        return QueryResults(self, wanted, mark)

    def __str__(self) -> str:
        return self.shown


class QueryResults(ConnectedSource):
    """Asks for all steps that are over by the lag, in pieces."""

    def __init__(self, address: Prometheus, wanted: WantedColumns, mark: Mark | None) -> None:
        super().__init__(str(address), wanted)
        with libraries("a query of Prometheus", "prometheus"):
            import httpx  # noqa: PLC0415 - an extra

        self._library, self._address = httpx, address
        self.lost = (httpx.HTTPError, httpx.InvalidURL, OSError)
        self._client: Any = None
        begin = self._over() - address.since if mark is None else int(mark["next"])
        self._next = -(-begin // address.every) * address.every
        self._steps, self._count, self._series, self._fits = _FIRST, 0, 0, False
        self._said: set[str] = set()
        self.begin()

    @property
    def mark(self) -> Mark:
        return {"next": self._next}

    @property
    def extent(self) -> SourceExtent:
        """The rest has a row for each step and series, of as many as there were."""
        rest = (self._over() - self._next) // self._address.every + 1
        return SourceExtent(self._count, self._count + max(0, rest) * self._series, "rows")

    def connect(self) -> None:
        ca = self._address.ca
        verify = True if ca is None else ssl.create_default_context(cafile=ca)
        self._client = self._library.Client(verify=verify, **self._address.client)
        self._ask(self._next, self._next)  # a wrong query is known at once

    def disconnect(self) -> None:
        if self._client is not None:
            self._client.close()

    def is_hopeless(self, error: Exception) -> bool:
        status = getattr(getattr(error, "response", None), "status_code", 0)
        return 400 <= status < 500 and status not in _RETRIED

    def take(self) -> list[SourcePiece]:
        every, steps = self._address.every, self._steps
        left = (self._over() - self._next) // every + 1
        self.behind = left > 0
        if not self.behind:
            return []
        end = self._next + (min(left, steps) - 1) * every
        self._steps = max(1, steps // 2)  # should this be more than the server can take
        series = self._ask(self._next, end)
        self._steps = max(1, min(4 * steps, _MOST_STEPS, _MOST_ROWS // max(1, len(series))))
        self._next, self._series, self.behind = end + every, len(series), left > steps
        return self._pieces(series) if series else []

    def _over(self) -> int:
        """The milliseconds since 1970 up to which nothing more is expected."""
        return time.time_ns() // 1_000_000 - self._address.lag

    def _ask(self, begin: int, end: int) -> list[dict[str, Any]]:
        """The series of the results from one step to another, with values as texts. Raises HTTPError."""
        place = self._address
        span = {"start": begin / 1000, "end": end / 1000, "step": place.every / 1000}
        reply = self._client.post(place.api, data={"query": place.query, **span})
        try:
            said = msgspec.json.decode(reply.content, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError):
            said = {}
        if not reply.is_success or "data" not in said:
            reason = said.get("error") or f"{place.api} answers {reply.status_code} {reply.reason_phrase}"
            raise self._library.HTTPStatusError(reason, request=reply.request, response=reply)
        news = [each for each in said.get("warnings", ()) if each not in self._said]
        self._said.update(news)
        self.notes += [f"{self.name}: the server warns: {each}" for each in news]
        return list(said["data"]["result"])

    def _pieces(self, series: Sequence[Mapping[str, Any]]) -> list[SourcePiece]:
        """The rows of all series in the order of time: labels, value and time are columns."""
        points = list(chain.from_iterable(each.get("values", ()) for each in series))
        values = np.array([float(text) for _, text in points], np.float64)
        times = np.rint(np.array([at for at, _ in points], np.float64) * 1000).astype(np.int64)
        of = np.repeat(np.arange(len(series)), [len(each.get("values", ())) for each in series])
        order = np.argsort(times, kind="stable")
        order = order[~np.isnan(values[order])]
        values, times, of = values[order], times[order], of[order]
        if not len(times):
            return []
        index, columns = pa.array(of, pa.int32()), dict[str, Any]()
        types = dict(zip(self.wanted.required, self.wanted.value_types, strict=False))
        for name in sorted({name for each in series for name in each["metric"]}):
            labels = _labels([each["metric"].get(name) for each in series], types.get(name))
            columns[name] = pa.DictionaryArray.from_arrays(index, labels)
        columns |= {"value": pa.array(values), "time": pa.array(times, pa.timestamp("ms", "UTC"))}
        table = pa.table(columns)
        read = partial(table_chunks, table.schema, lambda used: table.select(used).to_batches())
        try:
            chunks = list(read(self.name, self.wanted, whole=False))
        except DataError as error:
            if not self._fits:
                raise
            return [self.odd(int(times[0]), str(error).removeprefix(f"{self.name}: "))]
        self._fits = True
        self._count += len(times)
        # Each row has a number of its own in messages: the milliseconds, and that of the series.
        lines = times * 100_000 + of
        return [SourcePiece(replace(each, lines=lambda: lines), self.name) for each in chunks]


def _labels(texts: Sequence[str | None], type_: str | None) -> pa.Array:
    """The values of a label, which are texts; as numbers, if its column has these and all of them are."""
    for convert in (int, float) if type_ in NUMBERS else ():
        with suppress(ValueError, OverflowError):
            return pa.array([None if each is None else convert(each) for each in texts])
    return pa.array(texts, pa.string())
