"""antelog/spark/session/ending.py: who waits for Java does not wait for longer than it is there."""

from __future__ import annotations

import socket
from socketserver import StreamRequestHandler, TCPServer
from threading import Event, Thread

from antelog.spark.session.ending import end_promptly

PATIENCE = 30
"""Seconds after which a thread that should have ended does not end any more."""


def test_a_server_that_waits_for_more_ends_when_it_is_told_to() -> None:
    waits = Event()

    class Waits(StreamRequestHandler):
        def handle(self) -> None:
            waits.set()
            self.rfile.read(1)

    with TCPServer(("127.0.0.1", 0), Waits) as server:
        end_promptly(server)
        serving = Thread(target=server.serve_forever, daemon=True)
        serving.start()
        with socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=PATIENCE):
            assert waits.wait(PATIENCE)
            ending = Thread(target=server.shutdown, daemon=True)
            ending.start()
            ending.join(PATIENCE)
            serving.join(PATIENCE)
        assert not ending.is_alive()
        assert not serving.is_alive()


def test_a_session_without_such_a_server_is_left_as_it_is() -> None:
    end_promptly(None)
