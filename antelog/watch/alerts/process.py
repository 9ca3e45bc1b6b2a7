"""Starts, restarts and stops the process that sends alerts.

alerts = AlertProcess(store, setup, newest)    before the first step: earlier changes give no alerts
alerts.tend()                                  now and then: restarts it if it has died
alerts.stop()                                  at the end: waiting letters are tried once more
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from antelog.run.store import StoredFeedAt
from antelog.watch.alerts.alert import AlertSetup
from antelog.watch.alerts.outbox import opened
from antelog.watch.alerts.running import GRACE, Work, say
from antelog.watch.child import Child, Restarts

_BETWEEN_STARTS = 5.0
"""Seconds from the start to the next, if it dies; then twice as many, and so on."""
_STARTING = 20.0
"""Seconds that a process may need to start and to end, on a machine that is busy."""


class AlertProcess:
    """Sends the alerts of a store's feed. Raises AlertError if the store cannot be used.

    If the setup says nothing else, changes before the `newest` time are not sent at the first start: it is
    known once all that is there has been read.
    """

    def __init__(
        self, store: Path, setup: AlertSetup, newest: Callable[[], int | None] = lambda: None
    ) -> None:
        self._store, self._newest = store, newest
        with opened(store) as outbox:
            if outbox.position is None:
                # From now on, what is open is looked for in all of the past.
                outbox.take(0 if setup.begin is None else StoredFeedAt(store).summary().last, [])
            self._knows_begin = outbox.begin is not None or setup.begin is not None
        self._order = msgspec.json.encode(Work(str(store), setup))
        self._child = self._started()
        self._restarts = Restarts(_BETWEEN_STARTS)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._child.pid

    def tend(self) -> None:
        """Restarts it if it has ended by itself, less and less often; sees where alerts begin."""
        if not self._knows_begin and (tick := self._newest()) is not None:
            with opened(self._store) as outbox:
                outbox.begin_at(tick)
            self._knows_begin = True
        if self._child.alive or not self._restarts.due():
            return
        status = self._child.process.returncode
        say(f"the process that sends them has ended with {status}; it is started again")
        self._child.end(0)
        self._child = self._started()

    def stop(self) -> None:
        """Lets it send waiting letters, and end."""
        self._child.end(GRACE + _STARTING)

    def _started(self) -> Child:
        return Child("antelog.watch.alerts", self._order)
