"""An assistant writes, breaks and mends rules over the tools; what it may not do is refused in words."""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
import tomllib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

import click
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextContent, TextResourceContents

from antelog.cli.main import main
from antelog.diagnostics import CATALOGUE
from antelog.workbench.assistant import calls, pages
from antelog.workbench.assistant.calls import ReadableFolder
from antelog.workbench.assistant.tools import server
from tests.docs.pages import ROOT

RULES = """\
input Temp(device, level, time) delay 1.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1), Temp(X, high, T+2).
query Malf(X, T).
"""
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
TURBINES: dict[str, Any] = {"program": "turbines.alog", "inputs": {"Temp": "Temp.csv"}}


class Assistant:
    """A client that calls tools by name: `await assistant.check(program=…)` is the text of the answer."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def __getattr__(self, tool: str) -> Callable[..., Awaitable[str]]:
        return lambda **given: self.called(tool, given, fails=False)

    async def refused(self, tool: str, **given: Any) -> str:
        """The text of an answer that has to be an error."""
        return await self.called(tool, given, fails=True)

    async def called(self, tool: str, given: dict[str, Any], *, fails: bool) -> str:
        found = await self.client.call_tool(tool, given)
        (content,) = found.content
        assert isinstance(content, TextContent)
        assert bool(found.is_error) == fails, content.text
        return content.text


Walk: TypeAlias = Callable[[Assistant], Awaitable[None]]


def assisted(place: ReadableFolder | StdioServerParameters, walk: Walk) -> None:
    """Walks through calls of a server, in this process or one of its own."""

    async def run() -> None:
        async with Client(server(place) if isinstance(place, ReadableFolder) else place) as client:
            await walk(Assistant(client))

    asyncio.run(run())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the turbines, beside a file that nobody may read."""
    shutil.copytree(ROOT / "examples" / "turbines", tmp_path / "rules")
    for ending in ("alog", "csv"):
        (tmp_path / f"secret.{ending}").write_text("the_secret(1).\n")
    return tmp_path / "rules"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(each): each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file()}


def test_an_assistant_writes_rules_breaks_them_and_mends_them(tmp_path: Path) -> None:
    """Over standard input and output, as assistants start it."""

    async def walk(here: Assistant) -> None:
        assert "antelog://language" in str(here.client.instructions)
        assert "decided  by T+3" in await here.check(program=RULES)
        lines = RULES.replace("high, T), Temp", "high, T) and Temp", 1).splitlines()
        said = await here.refused("check", program="\n".join(lines))
        assert "rules.alog:2:32: error E001 (syntax): `and` cannot stand here" in said
        place = re.search(r"alog:(\d+):(\d+).*?Write `(.)` between the conditions", said, re.DOTALL)
        assert place is not None, said
        line, column = int(place[1]) - 1, int(place[2]) - 1
        lines[line] = lines[line][: column - 1] + place[3] + lines[line][column + len("and") :]
        mended = "\n".join(lines) + "\n"
        assert mended == RULES
        assert "1 passed" in await here.test_rules(program=mended, tests=TESTS)
        said = await here.try_rules(program=mended, inputs={"Temp": READINGS})
        assert "possible   Malf  X = wt2, T = 0   rejected at 2 if nothing comes, decided by 3" in said
        assert "confirmed  Malf  X = wt2, T = 0" in said
        assert await here.format(program=mended.replace(", high", ",high")) == mended

    given = ["-m", "antelog", "mcp", str(tmp_path)]
    assisted(StdioServerParameters(command=sys.executable, args=given, cwd=str(ROOT)), walk)
    assert list(tmp_path.iterdir()) == []


def test_what_tools_answer_is_what_commands_print(folder: Path) -> None:
    before = contents(folder)

    async def walk(here: Assistant) -> None:
        found = (await here.client.list_tools()).tools
        tools = {"check", "try_rules", "test_rules", "why", "diff", "format", "backtest", "explain_language"}
        assert {each.name for each in found} == tools
        assert all(
            each.description and each.annotations and each.annotations.read_only_hint for each in found
        )
        said = await here.try_rules(**TURBINES, options={"only": "confirmed", "until": 5})
        assert "Counts confirmed lines only" in said
        assert "possible" not in said
        why = await here.why(**TURBINES, answer="Malf(wt2, 0)")
        assert "Temp(wt2, high, 0)   arrived at tick 0, Temp.csv:2" in why
        said = await here.diff(old="turbines.alog", new="malfunctions.alog")
        assert "OK: gone, was in turbines.alog" in said
        assert "11 passed" in await here.test_rules()
        incidents = "device,time\nwt2,4\n"
        given = {"inputs": {"Temp": READINGS}, "incidents": incidents, "lead": "0..3"}
        assert "confirmed       1 of 1" in await here.backtest(program=RULES, **given)
        for name in ("rejects", "output", "config", "workers", "functions", "input", "record", "junit"):
            said = await here.refused("try_rules", **TURBINES, options={name: "x.csv"})
            assert f"there is no option {name} for assistants." in said
        assert "Did you mean until?" in await here.refused("try_rules", **TURBINES, options={"untl": 3})
        assert "o such option" in await here.refused("try_rules", **TURBINES, options={"depth": 3})

    assisted(ReadableFolder(folder), walk)
    assert contents(folder) == before


def test_texts_stand_for_files_and_see_those_beside_them(folder: Path) -> None:
    (folder / "parts").mkdir()
    (folder / "parts" / "inputs.alog").write_text(RULES.splitlines()[0])
    (folder / "parts" / "far.test.yaml").write_text(f"program: ../far.alog\n{TESTS}")
    (folder / "far.alog").write_text(RULES.replace("T+2", "T+3"))

    async def walk(here: Assistant) -> None:
        text = RULES.replace(RULES.splitlines()[0], 'include "parts/inputs.alog".')
        assert "decided  by T+3" in await here.check(program=text)
        assert "Malf(wt2, 0) is open" in await here.refused("test_rules", tests="parts/far.test.yaml")
        weaker = (folder / "turbines.alog").read_text().replace("not Shdn(X, T)", "not Cool(X, T)")
        said = await here.refused("test_rules", tests="turbines.test.yaml", program=weaker)
        assert re.search(r"7 cases: \d passed, \d failed", said)
        assert "new.alog" in await here.diff(old="turbines.alog", new=weaker)

    assisted(ReadableFolder(folder), walk)
    assert {each.name for each in folder.parent.iterdir()} == {"rules", "secret.alog", "secret.csv"}


def test_nothing_outside_the_folder_is_read(folder: Path) -> None:
    secret = folder.parent / "secret.alog"
    (folder / "link.alog").symlink_to(secret)
    (folder / "out").symlink_to(folder.parent)
    (folder / "away.csv").symlink_to(secret.with_suffix(".csv"))
    (folder / ".env.alog").write_text("the_secret(1).\n")
    (folder / "away.test.yaml").write_text(f"program: {secret}\n{TESTS}")
    (folder / "up.test.yaml").write_text(f"program: turbines.alog\nfacts:\n- Temp: ../secret.csv\n{TESTS}")
    outside = ["../secret.alog", str(secret), "link.alog", "out/secret.alog", ".env.alog"]

    async def walk(here: Assistant) -> None:
        includes = "".join(f'include "{each}".\n' for each in outside)
        said = [await here.refused("check", program=f"{includes}{RULES}")]
        assert said[0].count("cannot be read: it is not in the folder that may be read") == 5
        for each in (*outside, "https://x.org/a.alog"):
            said += [await here.refused(tool, program=each) for tool in ("check", "format")]
        for each in ("away.csv", "kafka://localhost/t", "${HOME}.csv", "../secret.csv"):
            said.append(await here.refused("try_rules", program=RULES, inputs={"Temp": each}))
        said.append(await here.refused("try_rules", program=RULES, inputs={"Temp=/etc/passwd": READINGS}))
        said += [await here.refused("test_rules", tests=each) for each in ("away.test.yaml", "up.test.yaml")]
        said.append(await here.refused("check", program=RULES, options={"model": "../secret.alog"}))
        for text in said:
            assert "the_secret" not in text
            assert re.search("in the folder|is not the name of", text), text

    assisted(ReadableFolder(folder), walk)


def test_functions_are_run_only_if_that_was_said_at_the_start(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = folder.parent / "ran"
    monkeypatch.setenv("DATABASE_PASSWORD", "s3cret")
    (folder / "near.alog").write_text(PLACES)
    (folder / "near.py").write_text(f"import os\nassert 'DATABASE_PASSWORD' not in os.environ\n{NEAR}")
    (folder / "near.txt").write_text(f"open({str(ran)!r}, 'w')\n{NEAR}")
    (folder / "near.test.yaml").write_text(NEAR_TESTS)
    (folder / "text.test.yaml").write_text(f"program: near.alog\n{NEAR_TESTS.replace('.py', '.txt')}")

    async def without(here: Assistant) -> None:
        for tests in ("near.test.yaml", "text.test.yaml"):
            said = await here.refused("test_rules", tests=tests)
            assert "functions are run only if the server was started with --functions FILE" in said

    async def given(here: Assistant) -> None:
        assert "1 passed" in await here.test_rules(tests="text.test.yaml")
        said = await here.try_rules(program=PLACES, inputs={"P": "x,time\nhere,1\nthere,1\n"})
        assert "X = here" in said
        assert "X = there" not in said

    async def writing(here: Assistant) -> None:
        said = await here.refused("test_rules", tests="near.test.yaml")
        assert "the server writes nothing, starts nothing and asks no other machine" in said

    assisted(ReadableFolder(folder), without)
    assisted(ReadableFolder(folder, folder / "near.py"), given)
    assisted(ReadableFolder(folder, folder / "near.txt"), writing)
    assert not ran.exists()


def test_an_answer_that_is_too_long_or_takes_too_long_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "MOST_RESULTS", 300)

    async def cut(here: Assistant) -> None:
        said = await here.try_rules(**TURBINES)
        assert re.search(r"… cut: [\d,]+ more bytes were printed\. Ask for less", said)
        assert "done: 6 facts" in said  # what is said beside the results is kept
        assert len(said) < 2000

    async def ended(here: Assistant) -> None:
        said = await here.refused("check", program=RULES)
        assert "error: ended after 0.01 seconds, before it was done" in said

    assisted(ReadableFolder(folder), cut)
    assisted(ReadableFolder(folder, seconds=0.01), ended)


def test_the_language_is_explained(tmp_path: Path) -> None:
    async def walk(here: Assistant) -> None:
        uris = [str(each.uri) for each in (await here.client.list_resources()).resources]
        files = ("llms.txt", "idioms.md", "diagnostics.md")
        texts = [(ROOT / "docs" / file).read_text("utf-8") for file in files]
        for uri, text in zip(uris, texts, strict=True):
            (content,) = (await here.client.read_resource(uri)).contents
            assert isinstance(content, TextResourceContents)
            assert content.text == text
        assert await here.explain_language() == texts[0]
        assert (await here.explain_language(topic="E404")).startswith("## E404 negated-only\n")
        said = await here.explain_language(topic="negation")
        assert said.startswith("## Negation\n")
        assert "to be asked for by these headings" in said
        assert len(said) < 40_000
        assert "Did you mean Negation?" in await here.refused("explain_language", topic="Negatoin")

    assisted(ReadableFolder(tmp_path), walk)
    assert [code for code in CATALOGUE if code not in pages.explained(code)] == []


def test_what_assistants_may_give_are_options_of_commands() -> None:
    assert isinstance(main, click.Group)
    known: set[str] = set()
    for name in ("check", "try", "test", "why", "diff", "backtest"):
        command = main.get_command(click.Context(main), name) or main.commands[name]
        known |= {each.removeprefix("--") for option in command.params for each in option.opts}
    assert {*pages.WORDS["allowed"]["options"]} - known == set()


def test_archives_carry_the_pages() -> None:
    built = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]
    carried = built["wheel"]["force-include"]
    assert carried == {f"docs/{file}": f"antelog/pages/{file}" for file in ("llms.txt", *pages.LOOKED_UP)}
    assert {f"/{file}" for file in carried} <= {*built["sdist"]["include"]}
