"""The page in a process of its own, so that a slow or crashed page does not affect the stream."""

from __future__ import annotations

import os
import select
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from antelog.errors import AntelogError, UnsupportedError
from antelog.lazily import brought_by
from antelog.watch.child import Child, Restarts
from antelog.watch.web.address import PageAddress, checked
from antelog.writing import needs_unix

_PATIENCE = 20.0  # seconds in which the page has to listen; it takes a fraction of one


class Page:
    """A served page; `trouble` says so if it keeps dying. Raises UnsupportedError if it cannot start."""

    def __init__(
        self, feed: Path, address: PageAddress, note: Callable[[str], None] = lambda _: None
    ) -> None:
        self.feed, self.address, self._note = feed, address, note
        self._restarts = Restarts()
        self.trouble = ""
        self.child = self._begin()

    def tend(self) -> None:
        """Restarts it if it has crashed, less and less often; open tabs go on."""
        for line in self.child.printed().splitlines():
            self._note(msgspec.json.decode(line)["note"])
        if self.child.alive or not self._restarts.due():
            return
        self._restarts.deaths += 1
        reason = _last_line(self.child.errors) or self.child.how_it_ended
        self._note(f"the page has ended; it is started again, at the same link ({reason})")
        if self._restarts.deaths > 1:
            self.trouble = f"The page has ended {self._restarts.deaths} times, at last with: {reason}."
        self.child.end(0)
        try:
            self.child = self._begin()
        except UnsupportedError as error:
            self._note(str(error))

    def stop(self) -> None:
        """Ends it at once, as it has nothing to save."""
        self.child.end(5)

    def _begin(self) -> Child:
        needs_unix("the page", "leave it out with --no-page")
        order = msgspec.json.encode((str(self.feed.resolve()), checked(self.address)))
        child = Child("antelog.watch.web.serving", order, answers=True)
        self.address = msgspec.structs.replace(self.address, port=_port(child))
        return child


def _port(child: Child) -> int:
    """Reads the port, in the first line of the process. Raises UnsupportedError if that is another one."""
    process = child.process
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], _PATIENCE)
    line = process.stdout.readline() if ready else b""
    found: dict[str, Any] = msgspec.json.decode(line) if line else {}
    if "port" in found:
        return int(found["port"])
    process.kill()
    child.end(5)
    reason = found.get("error") or _last_line(child.errors)
    if not found and "No module named" in reason:
        reason = f"{reason.rpartition(': ')[2]}; the page needs: {brought_by('watch')}"
    raise UnsupportedError(f"the page cannot be served: {reason or 'it has said nothing'}")


def _last_line(errors: bytes) -> str:
    return errors.decode("utf-8", "replace").strip().rpartition("\n")[2]


# ---- the process ----


def main() -> int:
    """Serves the feed and address on standard input until that ends; prints the port, then notes."""
    from antelog.watch.web.app import Entry, page_app  # noqa: PLC0415 - needs Starlette, as all of these
    from antelog.watch.web.listening import listen, serve, server_of  # noqa: PLC0415
    from antelog.watch.web.live_board import LiveBoard, judged_feed, reader_of  # noqa: PLC0415

    feed, address = msgspec.json.decode(sys.stdin.buffer.readline(), type=tuple[str, PageAddress])
    try:
        reader = reader_of(Path(feed))
        listening = listen(address)
    except AntelogError as error:
        _tell({"error": str(error)})
        return 1
    except OSError as error:
        _tell({"error": f"{address.host}:{address.port}: {error.strerror or error}"})
        return 1
    port = listening.getsockname()[1]
    address = msgspec.structs.replace(address, port=port)
    entry = Entry(
        *(address.hosts, address.origins, address.tokens, Path(feed), address.behind_proxy),
        embed_from=address.embed_from,
        judged=judged_feed(reader, address.incidents),
    )
    live = LiveBoard(reader, path=Path(f"{feed}-board"), say=lambda text: _tell({"note": text}))
    server = server_of(page_app(live, entry), address)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _tell({"port": port})
    serve(server, listening)
    return 0


def _tell(message: dict[str, object]) -> None:
    sys.stdout.write(msgspec.json.encode(message).decode() + "\n")
    sys.stdout.flush()


def _end_with_parent() -> None:
    """Ends the process at the end of standard input; nothing has to be saved."""
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
