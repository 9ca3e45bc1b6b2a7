"""One attempt to send a letter: posted to an address, or given to a command.

    async with client_for(receivers) as client:
        await send(receiver, letter, client)    Attempt("sent"), Attempt("again", "answered 503"), …

A status of 400, 413, 415 or 422 means that the letter is refused: it would be refused again. All other
failures are retried: no answer, an error, a redirect (never followed, as it could lead anywhere), an address
that has moved. The next attempt is after about 1, 2, 4, … seconds, up to five minutes, each shortened at
random, so that many senders do not return at once; and not before the time in `Retry-After`.

Whatever a receiver does is an attempt that failed: nothing it answers ends or holds up the others. What is
read of an answer is bounded, and so is what a command says.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import ssl
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.cookiejar import CookieJar
from typing import TYPE_CHECKING, Any

from antelog.escaping import shown_lines
from antelog.watch.alerts.alert import AlertError
from antelog.watch.alerts.letters import Letter
from antelog.watch.alerts.outbox import REFUSED, SENT
from antelog.watch.alerts.receivers import Receiver, address_of

if TYPE_CHECKING:
    import httpx

AGAIN = "again"
_REFUSALS = frozenset({400, 413, 415, 422})
_LONGEST = 300.0
_LONGEST_ASKED = 3_600.0
"""The longest `Retry-After` that is respected: an hour."""
_LONGEST_ANSWER, _PIECES, _READING_ON = 65_536, 20, 1.0
"""Bytes of an answer that are read, pieces of it, and seconds for it, at most; only its status matters."""
_LONGEST_SAID, _PAUSE = 4_000, 0.01
"""Bytes of what a command says that are shown, at most, and seconds between two reads of what is not."""


@dataclass(frozen=True)
class Attempt:
    """The outcome of sending a letter, its reason, the seconds of `Retry-After`; `there`: it answered."""

    what: str
    reason: str = ""
    asked: float | None = None
    there: bool = False


@dataclass(frozen=True)
class Timeouts:
    """How many seconds a receiver has to answer."""

    post: float = 30.0
    command: float = 60.0


@asynccontextmanager
async def client_for(receivers: Iterable[Receiver]) -> AsyncIterator[httpx.AsyncClient | None]:
    """The client that posts all letters, with connections that stay open; None if there are only commands.

    It reads no cookies, and has no limit of connections: a receiver that hangs takes none from the others.
    """
    if all(receiver.words for receiver in receivers):
        yield None
        return
    import httpx  # noqa: PLC0415 - commands do without

    from antelog.watch.alerts.bounded import bound  # noqa: PLC0415 - as above

    trusted, limits = ssl.create_default_context(), httpx.Limits(max_keepalive_connections=20)
    async with httpx.AsyncClient(verify=trusted, cookies=_NoCookies(), limits=limits, timeout=None) as client:
        bound(client)
        yield client


class _NoCookies(CookieJar):
    """Cookies that are not even parsed: that of a long one takes minutes."""

    def extract_cookies(self, *_: Any) -> None:
        pass


async def send(
    receiver: Receiver, letter: Letter, client: httpx.AsyncClient | None, timeouts: Timeouts | None = None
) -> Attempt:
    """Tries to send a letter once; fails, and does not raise, whatever the receiver does."""
    timeouts = timeouts or Timeouts()
    try:
        if client is None or receiver.words:
            return await _run(receiver, letter, timeouts.command)
        return await _post(receiver, letter, client, timeouts.post)
    except Exception as error:
        # The message may quote the address, which is a secret.
        return Attempt(AGAIN, f"cannot be sent to ({type(error).__name__})")


async def _post(receiver: Receiver, letter: Letter, client: httpx.AsyncClient, seconds: float) -> Attempt:
    import httpx  # noqa: PLC0415 - commands do without

    try:
        address = address_of(receiver)
    except AlertError as error:
        return Attempt(AGAIN, error.message)
    headers = {
        "User-Agent": "antelog",
        "Content-Type": "application/json",
        "Idempotency-Key": letter.key,
        **dict(address.headers),
    }
    try:
        async with (
            asyncio.timeout(seconds),
            client.stream("POST", address.url, content=letter.body.encode(), headers=headers) as response,
        ):
            await _read_on(response)
            return _answered(response)
    except (TimeoutError, httpx.TimeoutException):
        return Attempt(AGAIN, f"did not answer within {seconds:g} seconds")
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError):
        # The library's message may quote the address, which is a secret.
        return Attempt(AGAIN, "cannot be reached")


async def _read_on(response: httpx.Response) -> None:
    """Reads a short answer to its end, so that the connection stays open for the next letter."""
    import httpx  # noqa: PLC0415 - commands do without

    size = pieces = 0
    with suppress(TimeoutError, httpx.HTTPError):
        async with asyncio.timeout(_READING_ON):
            async for piece in response.aiter_raw():
                size, pieces = size + len(piece), pieces + 1
                if size > _LONGEST_ANSWER or pieces > _PIECES:
                    return


def _answered(response: httpx.Response) -> Attempt:
    status = response.status_code
    if response.is_success:
        return Attempt(SENT)
    if response.is_redirect:
        return Attempt(AGAIN, f"answered {status}, a redirect, which is not followed: mend the address")
    if status in _REFUSALS:
        return Attempt(REFUSED, f"answered {status}: it does not take such a letter")
    asked = retry_after(response.headers.get("Retry-After"))
    return Attempt(AGAIN, f"answered {status}", asked, there=True)


async def _run(receiver: Receiver, letter: Letter, seconds: float) -> Attempt:
    said, saying = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            *receiver.words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=saying,
            start_new_session=True,
        )
    except OSError as error:
        os.close(said)
        return Attempt(AGAIN, f"cannot be started: {error.strerror or error}")
    finally:
        os.close(saying)
    showing = asyncio.create_task(_show(said))
    try:
        async with asyncio.timeout(seconds):
            await process.communicate(f"{letter.body}\n".encode())
    except TimeoutError:
        return Attempt(AGAIN, f"did not end within {seconds:g} seconds", there=True)
    finally:
        if process.returncode is None:
            await _end(process)
        # What it has left running may still have the pipe.
        await asyncio.wait([showing], timeout=_READING_ON)
        showing.cancel()
    if process.returncode:
        return Attempt(AGAIN, f"ended with {process.returncode}", there=True)
    return Attempt(SENT)


async def _show(descriptor: int) -> None:
    """Prints the beginning of what a command says, and reads the rest slowly, as it may never end."""
    reader = asyncio.StreamReader()
    pipe, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", 0)
    )
    left = _LONGEST_SAID
    with closing(pipe):
        while piece := await reader.read(_LONGEST_ANSWER):
            if left:
                sys.stderr.write(shown_lines(piece[:left].decode(errors="replace")))
                sys.stderr.flush()
                left = max(0, left - len(piece))
            else:
                await asyncio.sleep(_PAUSE)


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a command with all that it has started."""
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    await process.wait()


def wait_after(failures: int, asked: float | None = None, draw: Callable[[], float] = random.random) -> float:
    """Seconds to wait after a number of failures in a row; `asked` is the `Retry-After` of the last one."""
    longest = min(_LONGEST, 2.0 ** min(failures - 1, 30))
    return max(longest * (1 + draw()) / 2, min(asked or 0.0, _LONGEST_ASKED))


def retry_after(header: str | None, now: datetime | None = None) -> float | None:
    """The seconds to wait by the header `Retry-After`, which has seconds or a date; None if invalid."""
    if header is None:
        return None
    if header.strip().isdecimal():
        return float(header)
    try:
        until = parsedate_to_datetime(header)
        until = until if until.tzinfo else until.replace(tzinfo=UTC)
        return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())
    except (ValueError, OverflowError):  # the latter is a date before the year 1, or after 9999, in UTC
        return None
