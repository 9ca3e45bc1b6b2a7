"""Addresses that packages bring: in their parts, refused with what to do, and listed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from antelog import secrets
from antelog.errors import UnsupportedError
from antelog.run import door
from antelog.run.address import address_of
from antelog.run.door import Url
from antelog.run.values import SettingError, whole
from tests.cli.trying import antelog

SHELF = """\
from dataclasses import dataclass
from antelog.sources import SourceAddress

@dataclass(frozen=True)
class Shelf(SourceAddress):
    noun, example, package, install = "a shelf", "shelf:place", "no_such_library", "pip install shelf"

    @classmethod
    def read(cls, url):
        return cls()

    def source(self, wanted, mark):
        raise NotImplementedError
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package that brings `shelf:`, and `broken:`, whose module is not there."""
    (tmp_path / "antelog_shelf.py").write_text(SHELF)
    info = tmp_path / "antelog_shelf-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: antelog-shelf\nVersion: 0.1\n")
    entries = "[antelog.sources]\nshelf = antelog_shelf:Shelf\nbroken = antelog_broken:Shelf\n"
    (info / "entry_points.txt").write_text(entries)
    monkeypatch.syspath_prepend(tmp_path)
    door.brought.cache_clear()
    yield
    door.brought.cache_clear()


def test_an_address_in_its_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALL_PASSWORD", "p?w#d/@:&")
    url = Url.of("mqtts://me:${HALL_PASSWORD}@a:1,b/plant/+/temp#part?qos=1&group=g", tmp_path)
    assert (url.scheme, url.hosts, url.path, url.fragment) == ("mqtts", ("a:1", "b"), "plant/+/temp", "part")
    assert (url.user, url.password, url.options) == ("me", "p?w#d/@:&", {"qos": "1", "group": "g"})
    assert url.shown == "mqtts://a:1,b/plant/+/temp#part"
    assert url.host(8883) == ("a", 1)
    assert "p?w" not in repr(url)
    assert secrets.redacted("a p?w#d/@:& b") == "a *** b"


def test_a_password_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hunter2\n")
    assert Url.of("x://me@h/p?password-file=secret", tmp_path).password == "hunter2"
    with pytest.raises(SettingError, match=r"missing cannot be read: No such file"):
        Url.of("x://me@h/p?password-file=missing", tmp_path)


def test_options_are_checked() -> None:
    url = Url.of("x://h/p?qos=9&grup=a&mode=c")
    with pytest.raises(SettingError, match=r"unknown option grup\. Did you mean group\?"):
        url.only("qos", "group", "mode")
    with pytest.raises(SettingError, match=r"`x://h/p` has a wrong qos: 9 is too much\. 2 is the most\."):
        url.option("qos", 0, whole(0, 2))
    with pytest.raises(SettingError, match=r"has mode=c\. It is a or b\."):
        url.one_of("mode", "a", "b")
    with pytest.raises(SettingError, match=r"`x:p` lacks a host\. Write x://host/p\."):
        Url.of("x:p").only(example="x://host/p")
    with pytest.raises(SettingError, match="`high` is not a port"):
        Url.of("x://h:high/p").host(1)


@pytest.mark.usefixtures("package")
def test_a_package_brings_an_address() -> None:
    assert type(address_of("shelf:a")).__name__ == "Shelf"
    with pytest.raises(SettingError, match=r"Did you mean shelf\?"):
        address_of("shelv:a")
    with pytest.raises(UnsupportedError, match=r"broken: .*antelog_broken:Shelf.*Install it anew"):
        address_of("broken:a")


@pytest.mark.usefixtures("package")
def test_the_list_has_what_is_there_and_what_cannot_be_used_yet() -> None:
    said = antelog("sources").stdout
    assert re.search(r"^kafka://\S+ +a topic of Kafka +reads, writes$", said, re.MULTILINE)
    assert re.search(r"^shelf:place +a shelf +reads$", said, re.MULTILINE)
    assert "cannot be used yet: shelf: pip install shelf\n" in said
    assert re.search(r"cannot be used yet: broken: .*antelog_broken:Shelf.*Install it anew", said)


def test_what_goes_on_is_not_static() -> None:
    done = antelog("try", "p.alog", "--input", "A=a.csv", "--static", "B=kafka://h/t")
    assert "goes on without an end, and what is static is read once. Give a file" in done.stderr
