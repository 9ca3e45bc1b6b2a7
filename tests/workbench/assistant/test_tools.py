"""An assistant writes, breaks and mends rules over the tools; what it may not do is refused in words."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import click
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextContent, TextResourceContents

from antelog.diagnostics import CATALOGUE
from antelog.workbench.assistant import calls, pages
from antelog.workbench.assistant.calls import Place
from antelog.workbench.assistant.tools import server
from tests.docs.pages import ROOT

TURBINES = ROOT / "examples" / "turbines"
RULES = """\
input Temp(device, level, time) delay 1.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1), Temp(X, high, T+2).
query Malf(X, T).
"""
BROKEN = RULES.replace("high, T), Temp", "high, T) and Temp", 1)
READINGS = "device,level,time,arrival\nwt2,high,0,0\nwt2,high,1,1\nwt2,high,2,3\nwt2,low,9,9\n"
TESTS = """\
cases:
- name: a third hot reading
  facts:
  - Temp(wt2, high, 0)
  - Temp(wt2, high, 1)
  - Temp(wt2, high, 2) @ 3
  expect:
  - at: 3
    confirmed: Malf(wt2, 0)
"""
PLACES = "function near(x).\ninput P(x, time).\nQ(X, T) :- P(X, T), near(X).\nquery Q(X, T).\n"
NEAR = "import antelog\n\n@antelog.function(rowwise=True)\ndef near(x):\n    return x == 'here'\n"
NEAR_TESTS = """\
functions: near.py
cases:
- name: what is near
  facts:
  - P(here, 1)
  expect:
  - confirmed: Q(here, 1)
"""


class Assistant:
    """A client that calls tools by name: `await assistant.check(program=…)` is the text of the answer."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def __getattr__(self, tool: str) -> Callable[..., Awaitable[str]]:
        return lambda **given: self.called(tool, False, given)

    async def refused(self, tool: str, **given: Any) -> str:
        """The text of an answer that has to be an error."""
        return await self.called(tool, True, given)

    async def called(self, tool: str, is_error: bool, given: dict[str, Any]) -> str:
        found = await self.client.call_tool(tool, given)
        (content,) = found.content
        assert isinstance(content, TextContent)
        assert bool(found.is_error) == is_error, content.text
        return content.text


def assisted(
    folder: Path, walk: Callable[[Assistant], Awaitable[None]], *, seconds: float = 60, **more: Any
) -> None:
    """Walks through calls of a server for a folder, in this process."""

    async def run() -> None:
        async with Client(server(Place(folder, seconds=seconds, **more))) as client:
            await walk(Assistant(client))

    asyncio.run(run())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the turbines, beside a file that nobody may read."""
    shutil.copytree(TURBINES, tmp_path / "rules")
    (tmp_path / "secret.alog").write_text("the_secret(1).\n")
    return tmp_path / "rules"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(each): each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file()}


def test_an_assistant_writes_rules_breaks_them_and_mends_them(tmp_path: Path) -> None:
    """Over standard input and output, as assistants start it."""
    command = ["-m", "antelog", "mcp", str(tmp_path)]

    async def walk() -> None:
        given = StdioServerParameters(command=sys.executable, args=command, cwd=str(ROOT))
        async with Client(given) as client:
            here = Assistant(client)
            assert "antelog://language" in str(client.instructions)
            assert "decided  by T+3" in await here.check(program=RULES)
            said = await here.refused("check", program=BROKEN)
            assert "rules.alog:2:32: error E001 (syntax): `and` cannot stand here" in said
            assert "Write `,` between the conditions of a rule." in said
            place = re.search(r"alog:(\d+):(\d+).*?Write `(.)`", said, re.DOTALL)
            assert place is not None, said
            lines = BROKEN.splitlines()
            before, after = lines[int(place[1]) - 1].split(" and ")
            assert len(before) == int(place[2]) - 2
            lines[int(place[1]) - 1] = f"{before}{place[3]} {after}"
            mended = "\n".join(lines) + "\n"
            assert mended == RULES
            assert "1 passed" in await here.test_rules(program=mended, tests=TESTS)
            said = await here.try_rules(program=mended, inputs={"Temp": READINGS})
            assert "possible   Malf  X = wt2, T = 0   rejected at 2 if nothing comes, decided by 3" in said
            assert "confirmed  Malf  X = wt2, T = 0" in said
            assert await here.format(program=mended.replace(", high", ",high")) == mended

    asyncio.run(walk())
    assert list(tmp_path.iterdir()) == []


def test_what_tools_answer_is_what_commands_print(folder: Path) -> None:
    before = contents(folder)

    async def walk(here: Assistant) -> None:
        found = await here.client.list_tools()
        tools = {"check", "try_rules", "test_rules", "why", "diff", "format", "backtest", "explain_language"}
        assert {each.name for each in found.tools} == tools
        for each in found.tools:
            assert each.description
            assert each.annotations is not None
            assert each.annotations.read_only_hint
        given: dict[str, Any] = {"program": "turbines.alog", "inputs": {"Temp": "Temp.csv"}}
        confirmed = await here.try_rules(**given, options={"only": "confirmed", "until": 5})
        assert "Counts confirmed lines only" in confirmed
        assert "possible" not in confirmed
        why = await here.why(**given, answer="Malf(wt2, 0)")
        assert "Temp(wt2, high, 0)   arrived at tick 0, Temp.csv:2" in why
        said = await here.diff(old="turbines.alog", new="malfunctions.alog")
        assert "OK: gone, was in turbines.alog" in said
        assert "11 passed" in await here.test_rules()
        assert "7 cases" in await here.test_rules(tests="turbines.test.yaml")
        said = await here.backtest(
            program=RULES, inputs={"Temp": READINGS}, incidents="device,time\nwt2,4\n", lead="0..3"
        )
        assert "confirmed       1 of 1" in said

    assisted(folder, walk)
    assert contents(folder) == before


def test_texts_stand_for_files_and_see_those_beside_them(folder: Path) -> None:
    (folder / "parts").mkdir()
    (folder / "parts" / "inputs.alog").write_text("input Temp(device, level, time) delay 1.\n")
    (folder / "parts" / "far.test.yaml").write_text(TESTS.replace("cases", "program: ../far.alog\ncases"))
    (folder / "far.alog").write_text(RULES.replace("T+2", "T+3"))
    text = RULES.replace(RULES.splitlines()[0], 'include "parts/inputs.alog".')

    async def walk(here: Assistant) -> None:
        assert "decided  by T+3" in await here.check(program=text)
        said = await here.refused("test_rules", tests="parts/far.test.yaml")
        assert "Malf(wt2, 0) is open" in said
        weaker = (folder / "turbines.alog").read_text().replace("not Shdn(X, T)", "not Cool(X, T)")
        said = await here.refused("test_rules", tests="turbines.test.yaml", program=weaker)
        assert "expected" in said
        assert "7 cases: 6 passed, 1 failed" in said or re.search(r"7 cases: \d passed, \d failed", said)
        said = await here.diff(old="turbines.alog", new=weaker)
        assert "new.alog" in said

    assisted(folder, walk)
    assert sorted(each.name for each in folder.parent.iterdir()) == ["rules", "secret.alog"]


def test_nothing_outside_the_folder_is_read(folder: Path) -> None:
    secret = folder.parent / "secret.alog"
    (folder / "link.alog").symlink_to(secret)
    (folder / "out").symlink_to(folder.parent)
    (folder / "away.csv").symlink_to(secret)
    (folder / ".env.alog").write_text("the_secret(1).\n")
    (folder / "away.test.yaml").write_text(f"program: {secret}\ncases:\n- name: a\n")
    (folder / "up.test.yaml").write_text(f"program: turbines.alog\nfacts:\n- Temp: ../{secret.name}\n{TESTS}")
    outside = ["../secret.alog", str(secret), "link.alog", "out/secret.alog", "https://x.org/a.alog"]

    async def walk(here: Assistant) -> None:
        said = [await here.refused("check", program=each) for each in [*outside, ".env.alog"]]
        said += [await here.refused("format", program=each) for each in outside]
        includes = "".join(f'include "{each}".\n' for each in (*outside[:4], ".env.alog"))
        said.append(await here.refused("check", program=f"{includes}{RULES}"))
        assert said[-1].count("cannot be read: it is not in the folder that may be read") == 5
        for name in ("away.csv", "kafka://localhost/t", "${HOME}.csv", "../secret.alog"):
            given = {"program": RULES, "inputs": {"Temp": name}}
            said.append(await here.refused("try_rules", **given))
        said.append(await here.refused("try_rules", program=RULES, inputs={"Temp=/etc/passwd": READINGS}))
        said.append(await here.refused("test_rules", tests="away.test.yaml"))
        said.append(await here.refused("test_rules", tests="up.test.yaml"))
        said.append(await here.refused("check", program=RULES, options={"model": "../secret.alog"}))
        for text in said:
            assert "the_secret" not in text
            assert re.search("in the folder|is not the name of", text), text
            assert "Traceback" not in text

    assisted(folder, walk)


def test_nothing_is_written_or_started(folder: Path) -> None:
    before = contents(folder)

    async def walk(here: Assistant) -> None:
        given: dict[str, Any] = {"program": "turbines.alog", "inputs": {"Temp": "Temp.csv"}}
        for name in ("rejects", "output", "config", "workers", "functions", "input", "record", "junit"):
            said = await here.refused("try_rules", **given, options={name: "x.csv"})
            assert f"there is no option {name} here" in said
        assert "Did you mean until?" in await here.refused("try_rules", **given, options={"untl": 3})
        said = await here.refused("try_rules", **given, options={"depth": 3})
        assert "No such option: --depth" in said.replace("'", "") or "No such option" in said

    assisted(folder, walk)
    assert contents(folder) == before


def test_functions_are_run_only_if_that_was_said_at_the_start(folder: Path) -> None:
    ran = folder.parent / "ran"
    (folder / "near.alog").write_text(PLACES)
    (folder / "near.py").write_text(NEAR)
    (folder / "near.txt").write_text(f"open({str(ran)!r}, 'w')\n{NEAR}")
    (folder / "near.test.yaml").write_text(NEAR_TESTS)
    (folder / "text.test.yaml").write_text(f"program: near.alog\n{NEAR_TESTS.replace('.py', '.txt')}")
    facts = {"P": "x,time\nhere,1\nthere,1\n"}

    async def without(here: Assistant) -> None:
        for tests in ("near.test.yaml", "text.test.yaml"):
            said = await here.refused("test_rules", tests=tests)
            assert "functions are run only if the server was started with --functions FILE" in said
        said = await here.refused("try_rules", program="near.alog", inputs=facts)
        assert "no such function is given" in said

    async def given(here: Assistant) -> None:
        assert "1 passed" in await here.test_rules(tests="near.test.yaml")
        said = await here.try_rules(program=PLACES, inputs=facts)
        assert "X = here" in said
        assert "there" not in said.replace("there is", "")

    assisted(folder, without)
    assert not ran.exists()
    assisted(folder, given, functions=folder / "near.py")


def test_an_answer_that_is_too_long_or_takes_too_long_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "MOST_RESULTS", 300)

    async def cut(here: Assistant) -> None:
        said = await here.try_rules(program="turbines.alog", inputs={"Temp": "Temp.csv"})
        assert re.search(r"… cut: [\d,]+ more bytes were printed\. Ask for less", said)
        assert "done: 6 facts" in said  # what is said beside the results is kept
        assert len(said) < 2000

    async def ended(here: Assistant) -> None:
        said = await here.refused("check", program=RULES)
        assert "error: ended after 0.01 seconds, before it was done" in said

    assisted(folder, cut)
    assisted(folder, ended, seconds=0.01)


def test_a_command_gets_no_passwords(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_PASSWORD", "s3cret")
    (folder / "near.alog").write_text(PLACES)
    (folder / "env.py").write_text("import os\nraise ValueError(sorted(os.environ))\n")

    async def walk(here: Assistant) -> None:
        said = await here.refused("try_rules", program="near.alog")
        assert "PATH" in said
        assert "DATABASE_PASSWORD" not in said

    assert "DATABASE_PASSWORD" in os.environ
    assisted(folder, walk, functions=folder / "env.py")


def test_the_language_is_explained(tmp_path: Path) -> None:
    async def walk(here: Assistant) -> None:
        found = await here.client.list_resources()
        assert [str(each.uri) for each in found.resources] == [
            f"antelog://{name}" for name in pages.WORDS["pages"]
        ]
        for name, file in (
            ("language", "llms.txt"),
            ("idioms", "idioms.md"),
            ("diagnostics", "diagnostics.md"),
        ):
            (content,) = (await here.client.read_resource(f"antelog://{name}")).contents
            assert isinstance(content, TextResourceContents)
            assert content.text == (ROOT / "docs" / file).read_text("utf-8")
        assert await here.explain_language() == (ROOT / "docs" / "llms.txt").read_text("utf-8")
        assert (await here.explain_language(topic="E404")).startswith("## E404 negated-only\n")
        said = await here.explain_language(topic="negation")
        assert said.startswith("## Negation\n")
        assert "to be asked for by these headings" in said
        assert len(said) < 40_000
        said = await here.refused("explain_language", topic="Negatoin")
        assert "Did you mean Negation?" in said

    assisted(tmp_path, walk)


def test_each_code_can_be_explained() -> None:
    assert [code for code in CATALOGUE if code not in pages.explained(code)] == []


def test_what_assistants_may_give_are_options_of_commands() -> None:
    from antelog.cli.main import main  # noqa: PLC0415 - the only test that needs it

    known: set[str] = set()
    for name in ("check", "try", "test", "why", "diff", "backtest"):
        command = main.commands.get(name) or main.get_command(click.Context(main), name)
        assert command is not None
        known |= {each.removeprefix("--") for option in command.params for each in option.opts}
    assert set(pages.WORDS["allowed"]["options"]) - known == set()
