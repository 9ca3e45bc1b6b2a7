"""antelog/cli/serving.py: where the page is served."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import WATCH
from antelog.cli.serving import page_address
from antelog.run.settings import PageSettings

TOKEN = "0123456789abcdef"


@click.command()
@flags(WATCH, settings=PageSettings)
def show(settings: PageSettings) -> None:
    address = page_address(settings)
    click.echo(address.tokens.look)
    click.echo(address.port)


def test_a_token_stays_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "page.token").write_text(f"{TOKEN}\n")
    monkeypatch.setenv("PAGE_TOKEN", TOKEN)
    for given in (f"@{tmp_path / 'page.token'}", "$PAGE_TOKEN"):
        assert CliRunner().invoke(show, ["--token", given, "--port", "8080"]).output == f"{TOKEN}\n8080\n"
    assert len(CliRunner().invoke(show, []).output.split()[0]) > len(TOKEN)


def test_others_need_a_name_and_a_certificate() -> None:
    done = CliRunner().invoke(show, ["--host", "0.0.0.0"])
    assert done.exit_code == 2
    assert "--allowed-host" in done.output
