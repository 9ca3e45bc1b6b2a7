"""Sends letters: by a POST to an address or by a command, and all letters of a receiver.

Failures are retried after about 1, 2, 4, … seconds, each shortened at random, so that many senders do not
return at once. Nothing that a receiver does holds up the others: what is read of it is bounded.
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

from antelog.escaping import shown, shown_lines
from antelog.watch.alerts.alert import AlertError
from antelog.watch.alerts.letters import Letter
from antelog.watch.alerts.outbox import REFUSED, SENT, Outbox
from antelog.watch.alerts.receivers import Receiver, address_of

if TYPE_CHECKING:
    import httpx

POLL = 0.1  # seconds between two looks for letters
AT_ONCE = 8  # letters on their way to a receiver, at most; a command gets one at a time
IN_A_ROW = 8  # failures in a row after which a receiver that answers is down
MOST_RESTING = 1_000  # letters that rest, at most; then others wait: to look past more takes time
AGAIN = "again"
REFUSALS = frozenset({400, 413, 415, 422})  # the same letter would be refused again
_LONGEST = 300.0
_LONGEST_ASKED = 3_600.0  # the longest `Retry-After` that is respected: an hour
# Bytes of an answer that are read, pieces of it, and seconds for it, at most; only its status matters.
_LONGEST_ANSWER, _PIECES, _READING_ON = 65_536, 20, 1.0
# Bytes of a command's output that are shown, at most, and seconds between two reads of the rest.
_LONGEST_SAID, _PAUSE = 4_000, 0.01
_POST_SECONDS, _COMMAND_SECONDS = 30.0, 60.0  # how long a receiver has to answer


@dataclass(frozen=True)
class Attempt:
    """The outcome of sending a letter, its reason, the seconds of `Retry-After`; `there`: it answered."""

    what: str
    reason: str = ""
    asked: float | None = None
    there: bool = False


@asynccontextmanager
async def client_for(receivers: Iterable[Receiver]) -> AsyncIterator[httpx.AsyncClient | None]:
    """Opens the client that posts all letters; None if there are only commands."""
    if all(receiver.words for receiver in receivers):
        yield None
        return
    import httpx  # noqa: PLC0415 - commands do without

    from antelog.watch.alerts.bounded import bound  # noqa: PLC0415 - as above

    # Connections are not limited: a receiver that hangs takes none from the others.
    trusted, limits = ssl.create_default_context(), httpx.Limits(max_keepalive_connections=20)
    async with httpx.AsyncClient(verify=trusted, cookies=_NoCookies(), limits=limits, timeout=None) as client:
        bound(client)
        yield client


class _NoCookies(CookieJar):
    """Cookies that are not parsed: a long one would take minutes."""

    def extract_cookies(self, *_: Any) -> None:
        pass


async def send(
    receiver: Receiver, letter: Letter, client: httpx.AsyncClient | None, seconds: float | None = None
) -> Attempt:
    """Tries to send a letter once within some seconds; does not raise, whatever the receiver does."""
    try:
        if client is None or receiver.words:
            return await _run(receiver, letter, seconds or _COMMAND_SECONDS)
        return await _post(receiver, letter, client, seconds or _POST_SECONDS)
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
    if status in REFUSALS:
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
    """Prints the beginning of a command's output, and reads the rest slowly, as it may never end."""
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
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def wait_after(failures: int, asked: float | None = None, draw: Callable[[], float] = random.random) -> float:
    """Returns the seconds to wait after failures in a row; `asked` is the `Retry-After` of the last."""
    longest = min(_LONGEST, 2.0 ** min(failures - 1, 30))
    return max(longest * (1 + draw()) / 2, min(asked or 0.0, _LONGEST_ASKED))


def retry_after(header: str | None, now: datetime | None = None) -> float | None:
    """Parses the header `Retry-After`, seconds or a date, to seconds; None if it is invalid."""
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


# ---- the letters of a receiver ----


def say(message: str) -> None:
    sys.stderr.write(f"alerts: {shown(message)}\n")
    sys.stderr.flush()


class Sender:
    """Sends the letters of one receiver, several at a time; one that failed rests, if the receiver answered.

    A receiver that cannot be reached, or fails many times in a row, is down: it gets one after a while,
    until it accepts it. The stream is `ending`; once the feed is `read`, all letters are there.
    """

    def __init__(
        self,
        receiver: Receiver,
        outbox: Outbox,
        client: httpx.AsyncClient | None,
        ending: asyncio.Event,
        read: asyncio.Event,
    ) -> None:
        self._receiver, self._outbox, self._client = receiver, outbox, client
        self._ending, self._read = ending, read
        self._clock = asyncio.get_running_loop().time
        self._busy: set[int] = set()
        # The letters that rest: how often each has failed, and until when it rests, on the loop's clock.
        self._rests: dict[int, tuple[int, float]] = {}
        self._in_a_row = self._failures = 0
        self._paused_until = self._down_since = 0.0
        self._last_time, self._given_up = False, False
        self._said = ""
        self._done = asyncio.Event()

    async def run(self) -> None:
        """Sends until the stream has ended, and each letter has been tried once more."""
        async with asyncio.TaskGroup() as tasks:
            while not self._given_up:
                all_there = self._read.is_set()
                self._done.clear()
                if self._ending.is_set() and not self._last_time:
                    self._last_time, self._rests = True, {}
                while len(self._busy) < self._room():
                    letter = self._outbox.first(self._receiver.name, [*self._busy, *self._resting])
                    if letter is None:
                        break
                    self._busy.add(letter.number)
                    tasks.create_task(self._try(letter))
                if all_there and not self._busy:
                    return
                with suppress(TimeoutError):
                    async with asyncio.timeout(POLL):  # `wait_for` may swallow that the task is to end
                        await self._done.wait()

    def _room(self) -> int:
        paused = self._clock() < self._paused_until or len(self._resting) >= MOST_RESTING
        if paused and not self._ending.is_set():
            return 0
        return 1 if self._failures or self._receiver.words else AT_ONCE

    @property
    def _resting(self) -> list[int]:
        now = self._clock()
        return [number for number, (_, until) in self._rests.items() if until > now]

    async def _try(self, letter: Letter) -> None:
        began = self._clock()
        attempt = await send(self._receiver, letter, self._client)
        self._busy.discard(letter.number)
        self._done.set()
        if attempt.what in (SENT, REFUSED):
            self._outbox.settle(self._receiver.name, letter, attempt.what)
            self._rests.pop(letter.number, None)
            self._in_a_row = self._failures = 0
            self._tell(attempt)
            return
        self._tell(attempt)
        # A letter is to blame only if the receiver is there: while it is down, the order stays.
        self._outbox.fail(self._receiver.name, letter, itself=attempt.there)
        if attempt.there:
            failures = self._rests.get(letter.number, (0, 0.0))[0] + 1
            until = float("inf") if self._last_time else self._clock() + wait_after(failures)
            self._rests[letter.number] = failures, until
        self._pause(attempt, began)

    def _pause(self, attempt: Attempt, began: float) -> None:
        """Pauses a receiver that is down; it is down once, however many letters were on their way to it."""
        self._in_a_row += 1
        now = self._clock()
        if attempt.asked is not None:
            self._paused_until = max(self._paused_until, now + wait_after(1, attempt.asked))
        down = not attempt.there or self._in_a_row > IN_A_ROW
        if down and (not self._failures or began >= self._down_since):
            self._failures += 1
            self._down_since = now
            self._paused_until = max(self._paused_until, now + wait_after(self._failures, attempt.asked))
        self._given_up = self._given_up or (down and self._last_time)

    def _tell(self, attempt: Attempt) -> None:
        """Prints the outcome of an attempt if its reason is new, or if no letter rests any more."""
        if attempt.reason == self._said or (attempt.what == SENT and self._rests):
            return
        self._said = attempt.reason
        name = self._receiver.name
        if attempt.what == SENT:
            say(f"{name}: receives again")
        elif attempt.what == REFUSED:
            say(f"{name}: {attempt.reason}, and it is not sent again")
        else:
            say(f"{name}: {attempt.reason}; it is tried again, and what comes meanwhile is kept")
