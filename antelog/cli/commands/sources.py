"""`antelog sources`: where facts come from and lines go, and what to install for the rest."""

from __future__ import annotations

from importlib.util import find_spec

import click

from antelog.cli.arguments.flags import FINE
from antelog.cli.show.endings import ending_in_words
from antelog.cli.show.terminal import tell
from antelog.errors import UnsupportedError
from antelog.files.remote import EXTRAS, LIBRARIES
from antelog.lazily import brought_by
from antelog.run.address import Files, Posted, Standard
from antelog.run.door import BroughtAddress, SinkAddress, SourceAddress, brought, brought_address, schemes

_OURS = ((Files, "reads, writes"), (Standard, "reads"), (Posted, "reads"))


@click.command(epilog=FINE)
@click.pass_context
def sources(ctx: click.Context, /) -> None:
    with ending_in_words(ctx):
        rows = [(kind.example.partition(",")[0], kind.noun, does) for kind, does in _OURS]
        missing = dict[str, str]()
        for scheme, extra in EXTRAS.items():
            rows.append((f"{scheme}://bucket/readings/", "files of an object store", "reads"))
            if find_spec(LIBRARIES[extra]) is None:
                missing[scheme] = brought_by(extra)
        kinds: dict[type[BroughtAddress], str] = {}
        for name in schemes():
            found = brought_address(name)
            assert found is not None
            try:
                kinds.setdefault(found.load(), name)
            except UnsupportedError as error:
                missing[name] = str(error)
        for kind, name in kinds.items():
            does = {
                "reads": issubclass(kind, SourceAddress),
                "writes": issubclass(kind, SinkAddress),
                "lists": issubclass(kind, SourceAddress) and kind.lists,
            }
            rows.append((kind.example, kind.noun, ", ".join(verb for verb, can in does.items() if can)))
            if kind.package and find_spec(kind.package) is None:
                missing[name] = kind.install
        widths = [max(len(row[i]) for row in rows) for i in (0, 1)]
        for address, noun, verbs in rows:
            tell(f"{address:{widths[0]}}  {noun:{widths[1]}}  {verbs}")
        receivers = ", ".join(("webhook", "slack", "alertmanager", "command", *brought("antelog.receivers")))
        tell(f"\nreceivers of alerts: {receivers}")
        for name, install in missing.items():
            tell(f"cannot be used yet: {name}: {install}")
