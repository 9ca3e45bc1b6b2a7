"""The page in a process of its own: it may fall behind, or fall over, and the stream goes on.

    page = start(Path("turbines.feed"), Address())
    page.url        the link to print, with its token
    page.keep()     begins it again, at the same link, if it has fallen over; to be called now and then
    page.stop()

In comes a feed and an address, out goes a running page. What it is told goes through a pipe, so no list of
processes shows a token.
"""

from __future__ import annotations

import select
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from antelog.errors import UnsupportedError
from antelog.watch.web.address import Address, checked

_PATIENCE = 20.0
"""Seconds in which it has to listen; it takes a fraction of one."""


@dataclass(eq=False)
class Page:
    """A page that is served."""

    feed: Path
    address: Address
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        return self.address.link

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def keep(self) -> None:
        """Begin it again if it has fallen over; open tabs go on. What fails is tried again later."""
        if not self.alive:
            self._close()
            with suppress(UnsupportedError):
                self.process = start(self.feed, self.address).process

    def stop(self) -> None:
        """End it, at once: it has nothing to save."""
        if self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._close()

    def _close(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def start(feed: Path, address: Address) -> Page:
    """Serve a feed. Raises UnsupportedError if the address is not safe, is taken, or a library is missing."""
    order = {"feed": str(feed.resolve()), "address": checked(address)}
    process = subprocess.Popen(
        [sys.executable, "-m", "antelog.watch.web"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    said = _told(process, msgspec.json.encode(order))
    if "port" not in said:
        raise UnsupportedError(f"the page cannot be served: {said.get('error', 'its process has ended')}")
    return Page(feed, msgspec.structs.replace(address, port=said["port"]), process)


def _told(process: subprocess.Popen[bytes], order: bytes) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with suppress(BrokenPipeError):
        process.stdin.write(order + b"\n")
        process.stdin.flush()
    ready, _, _ = select.select([process.stdout], [], [], _PATIENCE)
    line = process.stdout.readline() if ready else b""
    found: dict[str, Any] = msgspec.json.decode(line) if line else {}
    if "port" in found:
        process.stderr.close()
        return found
    process.kill()
    _, errors = process.communicate()
    return found or {"error": _reason(errors.decode("utf-8", "replace"))}


def _reason(errors: str) -> str:
    last = errors.strip().rpartition("\n")[2]
    if "No module named" in last:
        return f"{last.rpartition(': ')[2]}; the page needs: pip install 'antelog[watch]'"
    return last or "it has said nothing"
