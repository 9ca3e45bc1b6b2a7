"""Receivers of alerts that answer whatever they like, beside a good one, which has each alert at once."""

from __future__ import annotations

import os
import shlex
import socket
import ssl
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from random import Random

import msgspec

import antelog
from antelog.files.naming import Form
from antelog.run.address import Files
from antelog.run.following import FollowedRun, RunOutput
from antelog.run.settings import Settings
from antelog.run.store.store import Store
from antelog.watch.alerts.alert import Alert, AlertSetup, queries_of
from antelog.watch.alerts.outbox import counts_in
from tests.attack.findings import Attempt
from tests.attack.posts import Lines
from tests.processes import started, until
from tests.watch.alerts.receiving import serving

_PROGRAM = """\
input Temp(device, level, time).
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Malf(X, T) critical "turbine {X} is failing".
"""
_TICKS = 40
_LATE = 20.0  # seconds after the first alert within which the good receiver has the last
_PATIENCE = 60.0
_AT_ONCE = 3  # bad receivers beside the good one


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """So many times some bad receivers beside a good one; each kind comes in turn."""
    random, kinds = Random(seed), [*BAD, *_ODD_PLACES]
    order = [
        kind for _ in range(-(-count * _AT_ONCE // len(kinds))) for kind in random.sample(kinds, len(kinds))
    ]
    for number in range(count):
        some = order[number * _AT_ONCE : (number + 1) * _AT_ONCE]
        name = f"receivers {number} of seed {seed}: {some}"
        yield Attempt(name, partial(_sent, some, Random(f"{seed}.{number}")), _PATIENCE)


def _sent(kinds: list[str], random: Random) -> None:
    """Raises AssertionError if the good receiver lacks an alert, or the sender ends or shows a traceback."""
    with tempfile.TemporaryDirectory(prefix="antelog-attack-") as name, ExitStack() as stack:
        folder = Path(name)
        lines = _told(folder)
        good = stack.enter_context(serving())
        (folder / "good").write_text(good.url, encoding="utf-8")
        to = [_place(kind, folder, random, stack) for kind in kinds]
        to.insert(random.randrange(len(to) + 1), "webhook:@good")
        queries = queries_of(antelog.parse(_PROGRAM).plan, chances=False)
        alerts = tuple(Alert(each, ("possible", "confirmed", "rejected")) for each in to)
        work = msgspec.json.encode(AlertSetup(alerts, queries, "p.alog", store=str(folder / "s"))).decode()
        said = stack.enter_context((folder / "said").open("w+"))
        command = [sys.executable, "-m", "antelog.watch.alerts.running"]
        process = stack.enter_context(started(command, cwd=folder, stdin=-1, stderr=said, stdout=-3))
        assert process.stdin is not None
        process.stdin.write(f"{work}\n")
        process.stdin.flush()
        words = partial((folder / "said").read_text, encoding="utf-8", errors="replace")
        until(lambda: good.got, process, words)
        end = time.monotonic() + _LATE
        until(lambda: len(set(good.keys)) == lines or time.monotonic() > end, process, words)
        assert len(set(good.keys)) == lines, f"{len(set(good.keys))} of {lines} in time: {words()[-2000:]}"
        until(lambda: counts_in(folder / "s")["webhook:@good"]["sent"] == lines, process, words)
        assert "Traceback" not in words(), words()[-3000:]
        assert len(words()) < 200_000, "it says too much"


def _told(folder: Path) -> int:
    """Runs the program on some facts, for its lines to be in a store; how many there are."""
    rows = [f"wt{device},high,{tick}" for tick in range(0, _TICKS, 2) for device in range(2)]
    (folder / "t.csv").write_text("\n".join(["device,level,time", *rows, ""]), encoding="utf-8")
    with ExitStack() as stack:
        store = Store(folder / "s")
        stack.callback(store.close)
        settings = Settings(
            inputs={"Temp": Files(str(folder / "t.csv"), Form.CSV)}, state=folder / "s", once=True
        )
        program = antelog.parse(_PROGRAM)
        run = FollowedRun(program, settings, {}, store, True, lambda _: None, lambda: None)
        sink = Lines(program)
        run.follower(RunOutput(None, lambda _: "", sink), stack).run(lambda: False)
    return len(sink.lines)


def _place(kind: str, folder: Path, random: Random, stack: ExitStack) -> str:
    """What is written for a bad receiver, which is there until the stack is closed."""
    if kind in _ODD_PLACES:
        return _ODD_PLACES[kind](folder)
    file = folder / f"{kind} {random.random()}".replace(" ", "_")
    scheme = "https" if "TLS" in kind else "http"
    file.write_text(
        f"{scheme}://127.0.0.1:{stack.enter_context(bad(BAD[kind], random))}/in", encoding="utf-8"
    )
    return f"webhook:@{file.name}"


@contextmanager
def bad(answer: Callable[[socket.socket, Random], object], random: Random) -> Iterator[int]:
    """A server that reads what is there, and then does as it likes; its port."""
    open_: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                open_.append(connection)
                threading.Thread(target=talk, args=(connection,), daemon=True).start()

        def talk(connection: socket.socket) -> None:
            with suppress(OSError):
                connection.recv(1 << 16)
                answer(connection, random)

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        with suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)
        for each in open_:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


def _says(*texts: str) -> Callable[[socket.socket, Random], None]:
    """Answers with one of some texts, and ends."""

    def answer(connection: socket.socket, random: Random) -> None:
        connection.sendall(random.choice(texts).encode("latin-1", "replace"))
        connection.close()

    return answer


def _for_ever(begin: str, more: str, pause: float = 0.0) -> Callable[[socket.socket, Random], None]:
    """Begins to answer, and never ends; at most some 100 MB, for this process has other work."""

    def answer(connection: socket.socket, _: Random) -> None:
        connection.sendall(begin.encode())
        piece = more.encode() if pause else more.encode() * max(1, 65_536 // len(more))
        for _turn in range(1_600):
            connection.sendall(piece)
            time.sleep(pause)  # noqa: TID251 - it is slow

    return answer


def _reset(connection: socket.socket, _: Random) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    connection.close()


def _hangs(connection: socket.socket, _: Random) -> None:
    """Says nothing, and keeps the connection."""


def _half_tls(connection: socket.socket, random: Random) -> None:
    """Begins with TLS, and breaks off."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="x")
    with suppress(ssl.SSLError):
        client.do_handshake()
    hello = outgoing.read()
    connection.sendall(hello[: random.randrange(1, len(hello))])
    connection.close()


_OK = "HTTP/1.1 200 OK\r\n"
_END = "Content-Length: 0\r\n\r\n"
_TIMES = [
    *("Mon, 01 Jan 99999999999999999999 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 -2300"),
    "Mon, 01 Jan 99999 00:00:00 GMT",
    *("9" * 400, "9" * 5_000, "-1", "1e999", "\xb2", "nan", "Mon, 99 Foo 0 99:99:99 +9999", "", " ", "0"),
    *("Mon, 01 Jan 2026 00:00:00 +999999999999", "(" * 9_000, "Mon, " * 9_000, "00:00 " * 9_000),
]
_COOKIES = [
    *("a=" + "=" * 60_000, "a;" * 30_000, f"a=b; expires={'1-' * 30_000}", f"a=b; expires={' ' * 60_000}x"),
    "\r\nSet-Cookie: ".join(["a=b"] * 4_000),
]
_PLACES = [*("/in", "", "http://[", "//" + "\xe9" * 60_000, "http://" + "a." * 30_000, "file:///etc/passwd")]
_HEADERS = [*("X: " + "\xff" * 50_000, "\0: 1", "X : 1", " X: 1", "X:\r\n\t" * 9_000, "A: b\r\n" * 20_000)]
_LENGTHS = ["-1", "x", "9" * 400, "1\r\nContent-Length: 2"]


def _headed(status: str, header: str, values: Iterable[object]) -> list[str]:
    """Answers with a status line and one header each."""
    return [f"HTTP/1.1 {status}\r\n{header}{each}\r\n{_END}" for each in values]


BAD: Mapping[str, Callable[[socket.socket, Random], object]] = {
    "far Retry-After": _says(*_headed("429 No", "Retry-After: ", _TIMES)),
    "odd status": _says(
        *(f"HTTP/1.1 {each} x\r\n{_END}" for each in (*range(100, 1_000, 37), "abc", -1, 2**70))
    ),
    "odd status line": _says(
        "HTTP/9.9 200\r\n\r\n", "200 OK\r\n\r\n", "\r\n" * 50_000, "HTTP/1.1 200 \0\r\n\r\n"
    ),
    "garbage": _says("\0" * 9_000, "\xff" * 200_000, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "hello"),
    "odd header": _says(
        *_headed("200 OK", "", _HEADERS), *(f"{_OK}Content-Length: {each}\r\n\r\n" for each in _LENGTHS)
    ),
    "cookies": _says(*_headed("500 No", "Set-Cookie: ", _COOKIES)),
    "redirects": _says(*_headed("308 There", "Location: ", _PLACES)),
    "broken pieces": _says(
        *(
            f"{_OK}Transfer-Encoding: {each}"
            for each in ("chunked\r\n\r\nzz\r\n", "chunked\r\n\r\n-1\r\n", "gzip\r\n\r\nx")
        ),
        f"{_OK}Content-Encoding: gzip\r\n\r\nno gzip",
    ),
    "switches": _says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n\0\0"),
    "closes": lambda connection, _: connection.close(),
    "resets": _reset,
    "hangs": _hangs,
    "slow header": _for_ever("HTTP/1.1 200 OK\r\nX: ", "x", 0.05),
    "slow body": _for_ever(f"{_OK}Content-Length: 99999999\r\n\r\n", "x", 0.05),
    "endless header": _for_ever(_OK, "X: y\r\n"),
    "endless line": _for_ever(_OK + "X: ", "x"),
    "endless 100": _for_ever("", "HTTP/1.1 100 Continue\r\n\r\n"),
    "endless body": _for_ever(f"{_OK}Content-Length: 99999999999\r\n\r\n", "x"),
    "endless pieces": _for_ever(f"{_OK}Transfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"),
    "endless failure": _for_ever("HTTP/1.1 500 No\r\n\r\n", "x"),
    "TLS that hangs": _hangs,
    "TLS that is none": _says(_OK + _END, "\x16\x03\x01\xff\xff", "\x15\x03\x03\0\2\2\x28"),
    "TLS that breaks off": _half_tls,
}


def _command(text: str) -> Callable[[Path], str]:
    return lambda _: "command:" + shlex.join(["sh", "-c", text])


def _pipe(folder: Path) -> str:
    os.mkfifo(folder / "pipe")
    return "webhook:@pipe"


def _at(text: str) -> Callable[[Path], str]:
    """A file with this as the address."""

    def write(folder: Path) -> str:
        (folder / f"at {len(text)}").write_text(text, encoding="utf-8")
        return f"slack:@at {len(text)}"

    return write


_ODD_PLACES: Mapping[str, Callable[[Path], str]] = {
    "a command that prints": _command("cat > /dev/null; while :; do echo aaaaaaaaaaaaaaaaaaaaaaaa; done"),
    "a command that complains": _command("cat > /dev/null; while :; do echo aaaaaaaaaaaaaaaaaaaa >&2; done"),
    "a command that hangs": _command("sleep 1000"),
    "a command that fails": _command("exit 3"),
    "a command that is killed": _command("kill -9 $$"),
    "a command that leaves another": _command("sleep 1000 & exit 0"),
    "a command that reads nothing": _command("exec <&-; sleep 1"),
    "a command that is not there": lambda _: "command:./nowhere",
    "a pipe for a file": _pipe,
    "a folder for a file": lambda folder: f"webhook:@{folder}",
    "no file": lambda _: "webhook:@nowhere",
    "no such name": _at("http://nowhere.invalid/x"),
    "no address": _at("http://[::1/" + "x" * 70_000),
    "an odd name": _at("http://" + "\xe9." * 9_000),
    "zeros": lambda _: "webhook:@/dev/zero",
}
