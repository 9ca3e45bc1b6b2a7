"""A receiver of alerts for tests: a local server that answers as it is told, and keeps what it got."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Server:
    """The answers to give next (else 200), or to some keys, after `slow` seconds; the letters it got."""

    url: str = ""
    answers: list[int] = field(default_factory=list)
    refuse: dict[str, int] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    got: list[dict[str, Any]] = field(default_factory=list)
    sent: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    clients: list[Any] = field(default_factory=list)
    slow: float = 0.0

    @property
    def keys(self) -> list[str]:
        return [each["key"] for each in self.got]


@contextmanager
def serving(port: int = 0) -> Iterator[Server]:
    server, ended = Server(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            server.got.append(json.loads(body))
            sent = dict(self.headers)
            server.sent.append(sent)
            server.paths.append(self.path)
            server.clients.append(self.client_address)
            ended.wait(server.slow)
            status = server.answers.pop(0) if server.answers else 200
            status = server.refuse.get(sent.get("Idempotency-Key", ""), status)
            self.send_response(status)
            for name, value in {"Content-Length": "0", **server.headers}.items():
                self.send_header(name, value)
            self.end_headers()

        def handle(self) -> None:
            with suppress(OSError, ValueError):  # the sender was killed in the middle of a letter
                super().handle()

        do_GET = do_POST  # noqa: N815 - the name is the library's

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as http:
        http.daemon_threads = True
        threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        server.url = f"http://127.0.0.1:{http.server_port}/in/s3cr3t"
        yield server
        ended.set()
        http.shutdown()
