"""The page's own process: `python -m antelog.watch.web`, started by `antelog/watch/web/serving.py`.

It reads an `Order` in JSON from standard input, prints a line with the port once it listens, then notes for
the one who started it, and ends when standard input does.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import msgspec

from antelog.errors import AntelogError
from antelog.watch.web.address import PageAddress
from antelog.watch.web.app import Entry, page_app
from antelog.watch.web.listening import listen, serve, server_of
from antelog.watch.web.live_board import LiveBoard
from antelog.watch.web.readers import reader_of


class Order(msgspec.Struct, frozen=True):
    """The feed to serve, and the address."""

    feed: str
    address: PageAddress


def main() -> int:
    order = msgspec.json.decode(sys.stdin.buffer.readline(), type=Order)
    try:
        reader = reader_of(Path(order.feed))
        listening = listen(order.address)
    except AntelogError as error:
        _tell({"error": str(error)})
        return 1
    except OSError as error:
        _tell({"error": f"{order.address.host}:{order.address.port}: {error.strerror or error}"})
        return 1
    port = listening.getsockname()[1]
    address = msgspec.structs.replace(order.address, port=port)
    entry = Entry(
        address.hosts, address.origins, address.tokens, Path(order.feed), proxied=address.behind_proxy
    )
    live = LiveBoard(reader, path=Path(f"{order.feed}-board"), say=lambda text: _tell({"note": text}))
    server = server_of(page_app(live, entry), address)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _tell({"port": port})
    serve(server, listening)
    return 0


def _tell(said: dict[str, object]) -> None:
    sys.stdout.write(msgspec.json.encode(said).decode() + "\n")
    sys.stdout.flush()


def _end_with_parent() -> None:
    """Ends the process at the end of standard input; nothing has to be saved."""
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
