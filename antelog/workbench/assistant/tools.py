"""The tools and pages that an assistant finds: each tool is a command of antelog, in confines."""

from __future__ import annotations

from functools import partial
from importlib.metadata import version
from typing import Annotated, Any, TypeAlias

from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations
from pydantic import Field

from antelog.workbench.assistant.calls import CommandCall, Options, ReadableFolder
from antelog.workbench.assistant.pages import WORDS, explained, page
from antelog.workbench.testing.suite import ENDING


def _about(name: str, **more: Any) -> Any:
    words = WORDS["parameters"][name].replace("{names}", ", ".join(WORDS["allowed"]["options"]))
    return Field(description=words.strip(), **more)


Program: TypeAlias = Annotated[str, _about("program")]
Facts: TypeAlias = Annotated[dict[str, str], _about("facts", default_factory=dict)]
Given: TypeAlias = Annotated[Options, _about("options", default_factory=dict)]


def server(folder: ReadableFolder) -> MCPServer:
    """A server for one folder, which runs once it is given its streams."""
    words = WORDS["instructions"].strip()
    found = MCPServer("antelog", instructions=words, version=version("antelog"), log_level="CRITICAL")
    about = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    tool = partial(found.tool, annotations=about, structured_output=False)

    def call(
        command: str,
        options: Options,
        inputs: dict[str, str] | None = None,
        static: dict[str, str] | None = None,
    ) -> CommandCall:
        made = CommandCall(folder, command)
        made.facts("input", inputs or {})
        made.facts("static", static or {})
        made.given(options)
        return made

    @tool()
    async def check(program: Program, options: Given) -> str:
        """Check rules: all errors, or for each query when answers open and by when they are decided."""
        made = call("check", options)
        return await made.answer(made.file(program))

    @tool()
    async def try_rules(program: Program, inputs: Facts, static: Facts, options: Given) -> str:
        """Replay facts through rules: how answers open and are decided, tick by tick, with their evidence."""
        made = call("try", {"format": "table", **options}, inputs, static)
        return await made.answer(made.file(program))

    @tool()
    async def test_rules(
        options: Given,
        tests: Annotated[str, _about("tests")] = ".",
        program: Annotated[str, _about("rules")] = "",
    ) -> str:
        """Run tests of rules: expected and found side by side, and the parts of rules that no test shows."""
        made, rules = call("test", options), "rules.alog"
        if "\n" in tests:
            rules = made.file(program) if program else rules
        elif program:
            made.file(program, tests.removesuffix(ENDING).removesuffix(".alog") + ".alog")
        return await made.answer(made.file(tests, rules.removesuffix(".alog") + ENDING))

    @tool()
    async def why(
        program: Program,
        answer: Annotated[str, _about("answer")],
        inputs: Facts,
        static: Facts,
        options: Given,
    ) -> str:
        """Say why an answer is there on these facts, or why it is not, as a tree down to the facts."""
        made = call("why", options, inputs, static)
        return await made.answer(made.file(program), answer)

    @tool()
    async def diff(old: Program, new: Program, inputs: Facts, static: Facts, options: Given) -> str:
        """Say which queries new rules change in meaning and, given facts, which confirmed answers differ."""
        made = call("diff", options, inputs, static)
        return await made.answer(made.file(old, "old.alog"), made.file(new, "new.alog"))

    @tool(name="format")
    async def laid_out(program: Program) -> str:
        """Lay out rules as antelog writes them; returns the text."""
        made = call("format", {})
        return await made.answer("-", standard=made.text(program))

    @tool()
    async def backtest(
        program: Program,
        inputs: Facts,
        static: Facts,
        options: Given,
        *,
        incidents: Annotated[str, _about("incidents")],
        lead: Annotated[str, _about("lead")],
    ) -> str:
        """Judge rules by a list of incidents: how many they would have caught, how early, false alarms."""
        made = call("backtest", options, inputs, static)
        made.words += [f"--lead={lead}", f"--incidents={made.file(incidents, 'incidents.csv')}"]
        return await made.answer(made.file(program))

    @tool()
    def explain_language(topic: Annotated[str, _about("topic")] = "") -> str:
        """Explain a code of an error or warning, or a part of the language; without a topic, all in short."""
        return explained(topic) if topic.strip() else page("llms.txt")

    for name, text in WORDS["pages"].items():
        file = "llms.txt" if name == "language" else f"{name}.md"
        kept = found.resource(f"antelog://{name}", name=name, description=text, mime_type="text/markdown")
        kept(partial(page, file))
    return found
