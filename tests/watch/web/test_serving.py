"""antelog/watch/web/{serving,address}.py: a process of its own, at an address that is safe."""

import http.client
import json
import shutil
import socket
import ssl
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from antelog.errors import UnsupportedError
from antelog.watch import child
from antelog.watch.web.address import PageAddress, Tokens, checked
from antelog.watch.web.serving import Page
from tests.processes import until
from tests.watch.lines import add, possible, served


def get(page: Page, path: str, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", page.address.port, timeout=10)
    connection.request(
        "GET", path, headers={"Authorization": f"Bearer {page.address.tokens.look}", **headers}
    )
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def until_open(page: Page, count: int) -> None:
    until(lambda: json.loads(get(page, "/api/now")[1])["total"] == count)


def test_a_page_is_served_follows_its_feed_and_begins_again_at_its_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "BETWEEN_STARTS", 0.0)
    with served(tmp_path, [possible("wt2", 7)]) as (page, store):
        assert page.child.process.poll() is None
        assert page.address.link == f"http://127.0.0.1:{page.address.port}/?token={page.address.tokens.look}"
        until_open(page, 1)
        session = json.loads(get(page, "/api/session")[1])["session"]
        add(store, possible("wt3", 7))
        until_open(page, 2)
        page.child.process.kill()
        page.child.process.wait()
        assert page.child.process.poll() is not None
        link, old = page.address.link, page.child.process
        page.tend()
        assert page.child.process is not old
        assert page.address.link == link
        assert get(page, "/api/now", Authorization=f"Bearer {session}")[0] == 200
        until_open(page, 2)
        page.tend()
        assert page.child.process.poll() is None


def test_two_hundred_readers_at_once_and_some_who_do_not_read(tmp_path: Path) -> None:
    streams = []
    with served(tmp_path, [possible("wt2", 7)]) as (page, store), ExitStack() as stack:
        for _ in range(200):
            stream = stack.enter_context(socket.create_connection(("127.0.0.1", page.address.port), 20))
            request = (
                f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{page.address.port}\r\n"
                f"Authorization: Bearer {page.address.tokens.look}\r\n\r\n"
            )
            stream.sendall(request.encode())
            streams.append(stream)
        add(store, *(possible(f"wt{n}", 8) for n in range(2_000)))
        until_open(page, 2_001)
        for stream in streams[::20]:  # the others never read, and hold nobody up
            text = b""
            while b'"open":{"Malf":2001}' not in text:
                piece = stream.recv(65536)
                assert piece
                text += piece
        assert get(page, "/healthz")[0] == 200


def test_an_address_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(UnsupportedError, match="in use"):
            Page(tmp_path, PageAddress(port=taken.getsockname()[1]))


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        (PageAddress(host="0.0.0.0"), "--allowed-host plant.example"),
        (PageAddress(host="0.0.0.0", allowed_hosts=("plant.example",)), "give a --certificate"),
        (PageAddress(allowed_hosts=("http://x",)), "not the name of a host"),
        (PageAddress(allowed_hosts=("*.example",)), "not the name of a host"),
        (PageAddress(certificate="/none.pem"), "no such file"),
        (PageAddress(key=__file__), "--key needs a certificate"),
        (PageAddress(embed_from=("https://x/y",)), "not the origin of a page"),
        (PageAddress(embed_from=("*",)), "not the origin of a page"),
    ],
)
def test_unsafe_addresses_are_refused(address: PageAddress, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason):
        checked(address)


def test_addresses_that_are_safe() -> None:
    for address in (
        PageAddress(),
        PageAddress(host="localhost"),
        PageAddress(host="::1"),
        PageAddress(host="0.0.0.0", allowed_hosts=("plant.example",), behind_proxy=True),
        PageAddress(host="0.0.0.0", allowed_hosts=("plant.example",), certificate=__file__),
    ):
        assert checked(address) is address


def test_a_link_names_what_others_call_it_and_has_a_token_of_its_own() -> None:
    far = PageAddress(
        host="0.0.0.0", port=8443, allowed_hosts=("plant.example",), certificate="x", tokens=Tokens("t")
    )
    assert far.link == "https://plant.example:8443/?token=t"
    assert "plant.example:8443" in far.hosts
    assert far.origins >= {"https://plant.example:8443"}
    assert not any(origin.startswith("http:") for origin in far.origins)
    proxied = PageAddress(
        host="0.0.0.0", port=8080, allowed_hosts=("plant.example",), behind_proxy=True, tokens=Tokens("t")
    )
    assert proxied.link == "https://plant.example/?token=t"
    assert PageAddress(host="::1", port=80, tokens=Tokens("t")).link == "http://[::1]:80/?token=t"
    assert PageAddress().tokens != PageAddress().tokens
    assert len(PageAddress().tokens.look or "") >= 32


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_a_page_with_a_certificate_speaks_https_alone(tmp_path: Path) -> None:
    certificate, key = tmp_path / "page.pem", tmp_path / "page.key"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=plant.example", "-addext", "subjectAltName=DNS:plant.example"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*made, *names, *files], check=True, capture_output=True)
    hosts = ("plant.example",)
    address = PageAddress(host="0.0.0.0", allowed_hosts=hosts, certificate=str(certificate), key=str(key))
    with served(tmp_path, [possible("wt2", 7)], address=address) as (page, _):
        assert page.address.link.startswith(f"https://plant.example:{page.address.port}/?token=")
        trusted = ssl.create_default_context(cafile=str(certificate))
        plain = socket.create_connection(("127.0.0.1", page.address.port), 10)
        with plain, trusted.wrap_socket(plain, server_hostname="plant.example") as secure:
            host = f"plant.example:{page.address.port}"
            secure.sendall(f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            assert secure.recv(100).startswith(b"HTTP/1.1 200")
        with pytest.raises((OSError, http.client.HTTPException)):
            get(page, "/healthz")


def test_each_start_is_due_after_twice_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("antelog.watch.child.time.monotonic", lambda: now)
    found, starts = child.Restarts(), []
    while now < 2_000:
        if found.due():
            starts.append(now)
        now += 1
    gaps = [after - before for before, after in zip([0.0, *starts], starts, strict=False)]
    assert gaps[:7] == [5, 10, 20, 40, 80, 160, child.LONGEST]
    assert set(gaps[6:]) == {child.LONGEST}
