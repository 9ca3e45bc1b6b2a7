"""antelog/cli/serving.py: where the page is served."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import WATCH
from antelog.cli.serving import is_changes, page_address, show_changes
from antelog.errors import DataError
from antelog.run.settings import PageSettings
from antelog.watch.web.address import PageAddress

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


def test_what_has_changes_in_it(tmp_path: Path) -> None:
    for name in ("changes.jsonl", "changes.parquet", "kafka://localhost:9092/changes", str(tmp_path)):
        assert is_changes(Path(name))
    assert not is_changes(Path("turbines.alog"))


def test_a_topic_that_cannot_be_reached_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("confluent_kafka")
    monkeypatch.setattr("antelog.run.sources.messages._PATIENCE", 0.5)
    with pytest.raises(DataError, match=r"9/changes: cannot be reached"):
        show_changes(Path("kafka://127.0.0.1:9/changes"), PageAddress())
