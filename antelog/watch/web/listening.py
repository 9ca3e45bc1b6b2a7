"""The server of a page: its socket, and how it is served, in a process of its own or in a thread of this one.

listening = listen(address)
serve(server_of(app, address), listening)       until the process ends
served_here(live)                               "http://127.0.0.1:41233/?token=…", from then on
"""

from __future__ import annotations

import asyncio
import socket
import threading
from functools import partial

import msgspec
import uvicorn
from starlette.types import ASGIApp

from antelog.errors import UnsupportedError
from antelog.watch.web.address import PageAddress, Tokens, new_token
from antelog.watch.web.app import Bench, Entry, page_app
from antelog.watch.web.connections import Connection, PageLoop
from antelog.watch.web.live_board import LiveBoard


def listen(address: PageAddress) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    found.bind((address.host.strip("[]"), address.port))
    found.listen(2048)
    return found


def server_of(app: ASGIApp, address: PageAddress) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        http=Connection,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ssl_certfile=address.certificate,
        ssl_keyfile=address.key,
        timeout_graceful_shutdown=1,
        ws="none",
    )
    return uvicorn.Server(config)


def serve(server: uvicorn.Server, listening: socket.socket) -> None:
    """Serves until the process ends."""
    with asyncio.Runner(loop_factory=PageLoop) as runner:
        runner.run(server.serve([listening]))


def served_here(live: LiveBoard, bench: Bench | None = None, port: int = 0) -> str:
    """The link of a page that is served to this machine, with a token, for as long as the process lives.

    With a `bench` it is the link of those who may edit. Raises UnsupportedError if the port is taken.
    """
    given = PageAddress(port=port, tokens=Tokens(new_token(), None if bench is None else new_token()))
    try:
        listening = listen(given)
    except OSError as error:
        raise UnsupportedError(f"{given.host}:{port}: {error.strerror or error}") from None
    address = msgspec.structs.replace(given, port=listening.getsockname()[1])
    app = page_app(live, Entry(address.hosts, address.origins, address.tokens, bench=bench))
    threading.Thread(target=partial(serve, server_of(app, address), listening), daemon=True).start()
    return address.link_to_act or address.link
