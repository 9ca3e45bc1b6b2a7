"""antelog/cli/arguments/page.py: where the page is served, and the tokens of those who may see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from antelog.cli.arguments.page import address_of, page_options, token
from antelog.run.values import SettingError

TOKEN = "0123456789abcdef"


@click.command()
@page_options
def show(**given: Any) -> None:
    address = address_of(given, facts=None)
    click.echo(address.token)
    click.echo(address.port)


def test_a_token_stays_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "page.token").write_text(f"{TOKEN}\n")
    monkeypatch.setenv("PAGE_TOKEN", TOKEN)
    for given in (f"@{tmp_path / 'page.token'}", "$PAGE_TOKEN"):
        assert CliRunner().invoke(show, ["--token", given, "--port", "8080"]).output == f"{TOKEN}\n8080\n"
    assert len(CliRunner().invoke(show, []).output.split()[0]) > len(TOKEN)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (TOKEN, "seen by everybody"),
        ("@", "seen by everybody"),
        ("@missing", "missing cannot be read: No such file"),
        ("@short", "@short is no token: it has 16 letters"),
        ("$NOT_THERE", "is no token"),
    ],
)
def test_what_is_no_token(given: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("short").write_text("secret")
    with pytest.raises(SettingError, match=said.replace("$", r"\$")):
        token(given)


def test_others_need_a_name_and_a_certificate() -> None:
    done = CliRunner().invoke(show, ["--host", "0.0.0.0"])
    assert done.exit_code == 2
    assert "--allowed-host" in done.output
