"""A thread of PySpark's ends when Spark does, in place of a second later, and without a word.

The thread takes from Java what tasks have counted. It waits for more as long as Java is there, and looks up
once a second to see whether it should still do so. A run over a few facts would wait for that in the end.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from socketserver import BaseServer
from typing import Any


def end_promptly(server: BaseServer | None) -> None:
    """Has whoever waits within a server find, when that is shut down, that there is nothing to wait for."""
    if server is None:
        return
    begun, end = server.process_request, server.shutdown
    waiting: list[socket.socket] = []

    def process_request(request: Any, address: Any) -> None:
        waiting.append(request)
        begun(request, address)

    def shutdown() -> None:
        for request in waiting:
            with suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)
        end()

    def no_words(*_: object) -> None:
        """It may find that Java is gone, which is no error at the end."""

    # They are the server's own, not those of its class: that is PySpark's, and there may be others.
    vars(server).update(process_request=process_request, shutdown=shutdown, handle_error=no_words)
