"""The tools and pages that an assistant finds: each tool is a command of antelog, in confines."""

from __future__ import annotations

from functools import partial
from importlib.metadata import version
from typing import Annotated, TypeAlias

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from antelog.errors import DataError
from antelog.workbench.assistant import pages
from antelog.workbench.assistant.calls import OPTIONS, Call, Options, Place
from antelog.workbench.testing.suite import ENDING

_INSTRUCTIONS = """\
Rules over streams of facts that come late and out of order, in the language antelog. Read the resource
antelog://language before you write rules, and ask explain_language about what is not in it. After each
change, check the rules; then try them on a few facts of which some come late, and test them. A message has
the place, the reason and what to do instead: mend that, and check again. Nothing is written here: rules,
tests and facts are given as texts or as paths, and you write files yourself."""

_TEXT_OR_PATH = "the text itself, or a path NAME.alog in the folder"
Program: TypeAlias = Annotated[str, Field(description=f"Rules: {_TEXT_OR_PATH}.")]
Facts: TypeAlias = Annotated[
    dict[str, str],
    Field(
        default_factory=dict,
        description="By predicate, a path of CSV, JSON lines or Parquet, or lines of CSV with a header that "
        "names the columns; a column `arrival` says when a fact came, if later than it is about.",
    ),
]
Given: TypeAlias = Annotated[
    Options,
    Field(
        default_factory=dict,
        description="Options of the command by name, a list where one is given several times, true for a "
        'flag: {"set": ["hot=90"], "only": "confirmed", "until": 30}. There are ' + ", ".join(OPTIONS) + ".",
    ),
]


def server(place: Place) -> MCPServer:
    """A server for one folder, which runs once it is given its streams."""
    found = MCPServer("antelog", instructions=_INSTRUCTIONS, version=version("antelog"), log_level="CRITICAL")
    about = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    tool = partial(found.tool, annotations=about, structured_output=False)

    @tool()
    async def check(program: Program, options: Given) -> str:
        """Check rules: all errors, or for each query when answers open and by when they are decided."""
        call = Call(place, "check")
        call.given(options)
        return await call.answer(call.file(program))

    @tool()
    async def try_rules(program: Program, inputs: Facts, static: Facts, options: Given) -> str:
        """Replay facts through rules: how answers open and are decided, tick by tick, with their evidence."""
        call = _replay(place, "try", inputs, static, {"format": "table", **options})
        return await call.answer(call.file(program))

    @tool()
    async def test_rules(
        options: Given,
        tests: Annotated[
            str, Field(description=f"Tests: their text, or a path NAME{ENDING} or of a folder.")
        ] = ".",
        program: Annotated[
            str, Field(description=f"Rules to test in place of those beside the tests: {_TEXT_OR_PATH}.")
        ] = "",
    ) -> str:
        """Run tests of rules: expected and found side by side, and the parts of rules that no test shows."""
        call = Call(place, "test")
        call.given(options)
        if "\n" in tests:
            rules = call.file(program) if program else "rules.alog"
            return await call.answer(call.file(tests, rules.removesuffix(".alog") + ENDING))
        if program:
            call.file(program, tests.removesuffix(ENDING).removesuffix(".alog") + ".alog")
        return await call.answer(call.file(tests, tests))

    @tool()
    async def why(
        program: Program,
        answer: Annotated[str, Field(description="The answer, as rules write it: Malf(wt2, 0).")],
        inputs: Facts,
        static: Facts,
        options: Given,
    ) -> str:
        """Say why an answer is there on these facts, or why it is not, as a tree down to the facts."""
        call = _replay(place, "why", inputs, static, options)
        return await call.answer(call.file(program), answer)

    @tool()
    async def diff(old: Program, new: Program, inputs: Facts, static: Facts, options: Given) -> str:
        """Say which queries new rules change in meaning and, given facts, which confirmed answers differ."""
        call = _replay(place, "diff", inputs, static, options)
        return await call.answer(call.file(old, "old.alog"), call.file(new, "new.alog"))

    @tool(name="format")
    async def laid_out(program: Program) -> str:
        """Lay out rules as antelog writes them; returns the text."""
        call = Call(place, "format")
        path = call.file(program)
        text = call.texts.pop(path) if path in call.texts else (place.folder / path).read_text("utf-8-sig")
        return await call.answer("-", standard=text)

    @tool()
    async def backtest(
        program: Program,
        incidents: Annotated[
            str, Field(description="What went wrong, a path or lines of CSV: columns of the key, and `time`.")
        ],
        lead: Annotated[str, Field(description="How long before an incident an alert is right: 1h..24h.")],
        inputs: Facts,
        static: Facts,
        options: Given,
    ) -> str:
        """Judge rules by a list of incidents: how many they would have caught, how early, false alarms."""
        call = _replay(place, "backtest", inputs, static, options)
        call.options.append(f"--lead={lead}")
        call.options.append(f"--incidents={call.file(incidents, 'incidents.csv')}")
        return await call.answer(call.file(program))

    @tool()
    def explain_language(
        topic: Annotated[
            str, Field(description="A code such as E201, or words: negation, count, last, deadlines.")
        ] = "",
    ) -> str:
        """Explain a code of an error or warning, or a part of the language; without a topic, all in short."""
        if not topic.strip():
            return pages.page(pages.LANGUAGE)
        try:
            return pages.explained(topic)
        except DataError as error:
            raise ToolError(str(error)) from None

    for name, text in pages.SERVED.items():
        found.resource(f"antelog://{name}", name=name, description=text, mime_type="text/markdown")(
            partial(pages.page, name)
        )
    return found


def _replay(
    place: Place, command: str, inputs: dict[str, str], static: dict[str, str], options: Options
) -> Call:
    call = Call(place, command)
    call.facts("input", inputs)
    call.facts("static", static)
    call.given(options)
    return call
