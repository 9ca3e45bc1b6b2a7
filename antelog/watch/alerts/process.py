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

    `trouble` says so if it keeps dying, and `failed` that it could not end well.
    If the setup says nothing else, changes before the `newest` time are not sent at the first start: it is
    known once all that is there has been read.
    """

    def __init__(
        self, store: Path, setup: AlertSetup, newest: Callable[[], int | None] = lambda: None
    ) -> None:
        self._store, self._newest = store, newest
        self.trouble, self.failed = "", False
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
        if not self._child.alive and self._restarts.due():
            self._restart()

    def stop(self) -> None:
        """Lets it send waiting letters, and end; one that has died is started once more for that."""
        if not self._child.alive:
            self._restart()
        self._child.end(GRACE + _STARTING)
        self.failed = self._child.process.returncode != 0

    def _restart(self) -> None:
        how = self._child.how_it_ended
        self._restarts.deaths += 1
        say(f"the process that sends them has ended with {how}; it is started again")
        if self._restarts.deaths > 1:
            self.trouble = (
                f"The process that sends alerts has ended {self._restarts.deaths} times, at last with {how}: "
                "alerts may be late or missing. The reason is on standard error of antelog watch."
            )
        self._child.end(0)
        self._child = self._started()

    def _started(self) -> Child:
        return Child("antelog.watch.alerts.running", self._order)
