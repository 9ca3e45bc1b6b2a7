"""The page's own process: `python -m antelog.watch.web`, started by `antelog/watch/web/serving.py`.

It reads an `Order` in JSON from standard input, prints a line with the port once it listens, and ends when
standard input does.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
from pathlib import Path

import msgspec
import uvicorn

from antelog.errors import AntelogError
from antelog.watch.web.address import PageAddress
from antelog.watch.web.app import Entry, page_app
from antelog.watch.web.connections import Connection, PageLoop
from antelog.watch.web.live_board import LiveBoard, Reader
from antelog.watch.web.readers import reader_of


class Order(msgspec.Struct, frozen=True):
    """The feed to serve, and the address."""

    feed: str
    address: PageAddress


def main() -> int:
    order = msgspec.json.decode(sys.stdin.buffer.readline(), type=Order)
    try:
        reader = reader_of(Path(order.feed))
        listening = _listen(order.address)
    except AntelogError as error:
        _tell({"error": str(error)})
        return 1
    except OSError as error:
        _tell({"error": f"{order.address.host}:{order.address.port}: {error.strerror or error}"})
        return 1
    port = listening.getsockname()[1]
    address = msgspec.structs.replace(order.address, port=port)
    server = uvicorn.Server(_config(order.feed, reader, address))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _tell({"port": port})
    with asyncio.Runner(loop_factory=PageLoop) as runner:
        runner.run(server.serve([listening]))
    return 0


def _config(feed: str, reader: Reader, address: PageAddress) -> uvicorn.Config:
    entry = Entry(address.hosts, address.origins, address.token, address.facts, Path(feed))
    return uvicorn.Config(
        page_app(LiveBoard(reader), entry),
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


def _listen(address: PageAddress) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    found.bind((address.host.strip("[]"), address.port))
    found.listen(2048)
    return found


def _tell(said: dict[str, object]) -> None:
    sys.stdout.write(msgspec.json.encode(said).decode() + "\n")
    sys.stdout.flush()


def _end_with_parent() -> None:
    """Ends the process at the end of standard input; nothing has to be saved."""
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
