"""Workers in this process, which do at once what they are asked, so that many random cases can be run."""

from __future__ import annotations

import socket
from collections import deque
from dataclasses import dataclass, field

from antelog.run.workers.channel import Channel, WorkerMessage
from antelog.run.workers.divided import ChildProcess
from antelog.run.workers.worker import Setup, Worker


def passed(message: WorkerMessage) -> WorkerMessage:
    """What arrives at the other end of a connection."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        Channel(ours).send(message)
        found = Channel(theirs).receive()
    assert found is not None
    return found


@dataclass(eq=False)
class AtOnce(ChildProcess):
    """A worker that is not a process."""

    setup: Setup
    _answers: deque[WorkerMessage] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self._worker = Worker(passed(WorkerMessage(self.setup)).said)

    def send(self, message: WorkerMessage) -> None:
        asked = passed(message)
        self._answers.append(passed(self._worker.do(asked.said, asked.tables)))

    def receive(self) -> WorkerMessage:
        return self._answers.popleft()

    def end(self) -> None:
        """There is nothing to end."""
