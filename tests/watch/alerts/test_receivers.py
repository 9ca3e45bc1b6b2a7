"""antelog/watch/alerts/receivers.py: who is told, and addresses that are on no command line."""

from pathlib import Path

import pytest

from antelog.watch.alerts.alert import AlertError
from antelog.watch.alerts.receivers import (
    PostAddress,
    Receiver,
    address_of,
    checked,
    named_apart,
    receiver_of,
)

SECRET = "https://hooks.example/T0/B0/s3cr3t"


@pytest.mark.parametrize(
    ("text", "receiver"),
    [
        ("webhook:@pager.url", Receiver("webhook:@pager.url", "webhook", "@pager.url")),
        ("slack:$SLACK", Receiver("slack:$SLACK", "slack", "$SLACK")),
        ("slack: ${SLACK}", Receiver("slack:${SLACK}", "slack", "${SLACK}")),
        ("command:/bin/tell -u 'a b'", Receiver("command:tell", "command", words=("/bin/tell", "-u", "a b"))),
    ],
)
def test_receivers(text: str, receiver: Receiver) -> None:
    assert receiver_of(text) == receiver


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"slack:{SECRET}", "see its command lines. Put it into a file"),
        (SECRET, "`https` is not a receiver of alerts"),
        ("slak:@x", "Did you mean slack?"),
        ("webhook:", "into a file"),
        ("command:", "a command is missing"),
        ("command:tell 'me", "has a quote that does not end"),
    ],
)
def test_refused(text: str, said: str) -> None:
    with pytest.raises(AlertError) as caught:
        receiver_of(text)
    assert said in str(caught.value)
    assert "s3cr3t" not in str(caught.value)


def test_addresses_of_files(tmp_path: Path) -> None:
    file = tmp_path / "pager.url"
    file.write_text(f"\n  {SECRET}  \nAuthorization: Bearer x y\n\nX-Team:night\n", encoding="utf-8")
    receiver = receiver_of(f"webhook:@{file}")
    address = address_of(receiver)
    assert address == PostAddress(SECRET, (("Authorization", "Bearer x y"), ("X-Team", "night")))
    assert "s3cr3t" not in repr(address)
    file.write_text("http://localhost:8000/x", encoding="utf-8")
    assert address_of(receiver).url == "http://localhost:8000/x"  # it is read anew


def test_addresses_of_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", SECRET)
    assert address_of(receiver_of("webhook:$PAGER")) == address_of(receiver_of("webhook:${PAGER}"))
    assert address_of(receiver_of("webhook:$PAGER")).url == SECRET
    with pytest.raises(AlertError, match=r"no variable PAGRE\. Did you mean PAGER"):
        address_of(receiver_of("webhook:$PAGRE"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "there is no address"),
        (b"s3cr3t", "not an address"),
        (b"ftp://s3cr3t.example", "not an address"),
        (b"https://h:s3cr3t/", "not an address"),
        (b"https://h/s3cr3t x", "not an address"),
        (b"https://h/\ns3cr3t", "not a header"),
        (b"https://h/\ns3cr3t\xc3\xa4: x", "not a header"),
        (b"\xff\xfe", "it is not a text"),
    ],
)
def test_what_is_no_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a").write_bytes(content)
    with pytest.raises(AlertError) as caught:
        checked(receiver_of("webhook:@a"))
    assert said in str(caught.value)
    assert "s3cr3t" not in str(caught.value)


def test_addresses_of_alertmanager_and_apprise(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("http://alerts.example:9093/\nX-Team: night\n", encoding="utf-8")
    found = address_of(receiver_of(f"alertmanager:@{path}"))
    assert (found.url, found.headers) == ("http://alerts.example:9093/api/v2/alerts", (("X-Team", "night"),))
    path.write_text("http://alerts.example/api/v2/alerts", encoding="utf-8")
    assert address_of(receiver_of(f"alertmanager:@{path}")).url == "http://alerts.example/api/v2/alerts"
    path.write_text("mailto://me:s3cr3t@example.com\nntfy://topic\n", encoding="utf-8")
    receiver = receiver_of(f"apprise:@{path}")
    checked(receiver)
    assert "s3cr3t" not in repr(receiver)
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(AlertError, match="there is no address"):
        checked(receiver)


def test_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(AlertError, match="cannot be read: No such file"):
        checked(receiver_of(f"webhook:@{tmp_path / 'none'}"))
    with pytest.raises(AlertError, match="there is no program nowhere-to-be-found"):
        checked(receiver_of("command:nowhere-to-be-found x"))
    checked(receiver_of("command:cat"))


def test_names_are_apart() -> None:
    named = named_apart(
        [receiver_of(to) for to in ("command:cat a", "slack:@x", "command:cat b", "command:cat")]
    )
    assert [each.name for each in named] == ["command:cat", "slack:@x", "command:cat #2", "command:cat #3"]
    assert named[2].words == ("cat", "b")
