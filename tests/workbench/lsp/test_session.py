"""antelog lsp, as an editor uses it: one process, requests over its standard input and output."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from antelog.workbench.lsp.verdicts import runnable_tests
from tests.docs.pages import ROOT

CAPABILITIES = types.ClientCapabilities(
    general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf16]),
    text_document=types.TextDocumentClientCapabilities(
        completion=types.CompletionClientCapabilities(
            completion_item=types.ClientCompletionItemOptions(snippet_support=True)
        )
    ),
    workspace=types.WorkspaceClientCapabilities(
        code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True)
    ),
    window=types.WindowClientCapabilities(show_document=types.ShowDocumentClientCapabilities(support=True)),
)


class Editor:
    """An editor with files open: what it shows, and requests about places in them."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.diagnostics: dict[str, types.PublishDiagnosticsParams] = {}
        self.documents: list[str] = []
        self.refreshed = 0
        self._news = asyncio.Condition()
        self._versions: dict[Path, int] = {}
        self._texts: dict[Path, str] = {}

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]  # pygls
        async def published(params: types.PublishDiagnosticsParams) -> None:
            async with self._news:
                self.diagnostics[params.uri] = params
                self._news.notify_all()

        @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)  # type: ignore[untyped-decorator]  # pygls
        async def refresh(_params: None) -> None:
            async with self._news:
                self.refreshed += 1
                self._news.notify_all()

        @client.feature(types.WINDOW_SHOW_DOCUMENT)  # type: ignore[untyped-decorator]  # pygls
        def document(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
            self.documents.append(params.uri)
            return types.ShowDocumentResult(success=True)

    def open(self, path: Path, text: str | None = None) -> None:
        self._texts[path] = path.read_text(encoding="utf-8") if text is None else text
        self._versions[path] = 1
        item = types.TextDocumentItem(path.as_uri(), "antelog", 1, self._texts[path])
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self, path: Path, text: str) -> None:
        """Replaces all of a text."""
        self._versions[path] += 1
        self._texts[path] = text
        document = types.VersionedTextDocumentIdentifier(self._versions[path], path.as_uri())
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    async def problems(self, path: Path) -> list[types.Diagnostic]:
        """The diagnostics of the latest version of a text, once they are there."""
        async with self._news:
            await self._news.wait_for(lambda: self._version_shown(path) == self._versions.get(path))
        return list(self.diagnostics[path.as_uri()].diagnostics)

    def _version_shown(self, path: Path) -> int | None:
        shown = self.diagnostics.get(path.as_uri())
        return None if shown is None else shown.version or 0

    def save(self, path: Path) -> None:
        path.write_text(self._texts[path], encoding="utf-8")
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(self.document(path)))

    async def lens(self, path: Path, words: str) -> types.Command:
        """The command of the first lens with these words, once there is one."""
        while True:
            seen = self.refreshed
            params = types.CodeLensParams(self.document(path))
            for each in await self.client.text_document_code_lens_async(params) or ():
                if each.command is not None and words in each.command.title:
                    return each.command
            await self._refreshed_since(seen)

    async def _refreshed_since(self, seen: int) -> None:
        async with self._news:
            await self._news.wait_for(lambda: self.refreshed > seen)

    async def codes(self, path: Path) -> list[str]:
        return [str(each.code) for each in await self.problems(path)]

    def at(self, path: Path, words: str, skip: int = 0) -> types.Position:
        """The position behind the first occurrence of some words, moved by some characters."""
        text = self._texts[path]
        before = text[: text.index(words) + len(words) + skip]
        line = before.rpartition("\n")[2]
        return types.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)

    def document(self, path: Path) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(path.as_uri())

    async def hover(self, path: Path, words: str) -> str:
        """The hover text of the name before a place."""
        params = types.HoverParams(self.document(path), self.at(path, words))
        found = await self.client.text_document_hover_async(params)
        assert found is not None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async def definitions(self, path: Path, words: str) -> list[types.Location]:
        params = types.DefinitionParams(self.document(path), self.at(path, words))
        found = await self.client.text_document_definition_async(params)
        assert isinstance(found, list)
        return [each for each in found if isinstance(each, types.Location)]

    async def references(self, path: Path, where: types.Position) -> list[types.Range]:
        params = types.ReferenceParams(types.ReferenceContext(True), self.document(path), where)
        found = await self.client.text_document_references_async(params)
        return [each.range for each in found or ()]

    async def renamed(self, path: Path, where: types.Position, new: str) -> dict[str, list[types.TextEdit]]:
        params = types.RenameParams(self.document(path), where, new)
        change = await self.client.text_document_rename_async(params)
        assert change is not None
        return {uri: list(edits) for uri, edits in (change.changes or {}).items()}

    async def run(self, lens: types.Command) -> str:
        """The output of the command of a lens."""
        params = types.ExecuteCommandParams(lens.command, lens.arguments)
        return str(await self.client.workspace_execute_command_async(params))

    def edited(self, path: Path, edits: list[types.TextEdit]) -> str:
        """The text of a file after some edits, of which none spans lines unless it is the only one."""
        lines = self._texts[path].split("\n")
        for each in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
            start, end = each.range.start, each.range.end
            before, after = lines[start.line][: start.character], lines[end.line][end.character :]
            lines[start.line : end.line + 1] = [before + each.new_text + after]
        return "\n".join(lines)


@asynccontextmanager
async def editor(
    folder: Path, capabilities: types.ClientCapabilities = CAPABILITIES
) -> AsyncIterator[Editor]:
    """An editor with a server, which is shut down at the end."""
    client = LanguageClient("tests", "1")
    await client.start_io(sys.executable, "-m", "antelog", "lsp", cwd=folder)
    try:
        folders = [types.WorkspaceFolder(folder.as_uri(), folder.name)]
        await client.initialize_async(types.InitializeParams(capabilities, workspace_folders=folders))
        client.initialized(types.InitializedParams())
        yield Editor(client)
        await client.shutdown_async(None)
    finally:
        client.exit(None)
        await client.stop()  # type: ignore[no-untyped-call]  # pygls


TURBINES = ROOT / "examples" / "turbines"
PATIENCE = 120


def session(folder: Path, steps: Callable[[Editor], Awaitable[None]]) -> None:
    """Runs the steps of a session."""

    async def run() -> None:
        async with editor(folder) as used:
            await asyncio.wait_for(steps(used), PATIENCE)

    asyncio.run(run())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "turbines"
    shutil.copytree(TURBINES, place)
    return place.resolve()


def test_a_session(folder: Path) -> None:
    file = folder / "turbines.alog"
    right = file.read_text(encoding="utf-8")

    async def steps(used: Editor) -> None:
        used.open(file, right.replace("Flag(X, T), Flag(X, T+1)", "Flug(X, T), Flag(X, T+1)"))
        (wrong,) = await used.problems(file)
        assert wrong.code == "E201"
        assert wrong.message.startswith("nothing derives Flug")
        assert (wrong.range.start, wrong.range.end) == (
            used.at(file, ":- Flug", -4),
            used.at(file, ":- Flug"),
        )
        used.type(file, right)
        assert await used.problems(file) == []

        document = used.document(file)
        where = used.at(file, "Flag(X, T) ", -9)
        said = await used.hover(file, ":- Temp")
        assert "input Temp(device, level, time) delay 1." in said
        assert "10 minutes (1 tick) late" in said
        assert "Temp(wt2, high, 0)" in said
        assert "*decided* by T+4 (40 minutes later)" in await used.hover(file, "query Malf")

        found = await used.definitions(file, "Shdn(X, T+1) :- Cool")
        assert [each.range.start.line for each in found] == [used.at(file, "\nCool").line]
        assert len(await used.references(file, where)) == right.count("Flag(")
        asked = types.DocumentHighlightParams(used.document(file), where)
        marked = await used.client.text_document_document_highlight_async(asked)
        assert len(marked or ()) == right.count("Flag(")

        prepared = await used.client.text_document_prepare_rename_async(
            types.PrepareRenameParams(document, where)
        )
        assert isinstance(prepared, types.PrepareRenamePlaceholder)
        assert prepared.placeholder == "Flag"
        changes = await used.renamed(file, where, "Hot")
        assert used.edited(file, changes[file.as_uri()]) == right.replace("Flag(", "Hot(")
        with pytest.raises(JsonRpcException, match="There is Cool already"):
            await used.renamed(file, where, "Cool")

        used.type(file, f"{right}Old(X, T) :- Temp(X, ")
        items = await used.client.text_document_completion_async(
            types.CompletionParams(document, used.at(file, "Old(X, T) :- Temp(X, "))
        )
        assert isinstance(items, list)
        assert {"high", "low", "X", "T"} <= {each.label for each in items}
        helped = await used.client.text_document_signature_help_async(
            types.SignatureHelpParams(document, used.at(file, "Old(X, T) :- Temp(X, "))
        )
        assert helped is not None
        assert (helped.signatures[0].label, helped.active_parameter) == ("Temp(device, level, time)", 1)
        assert await used.codes(file) == ["E001"]

        used.type(file, right.replace("OK(X, T-2)   :-", "OK( X,T - 2 ):-"))
        edits = await used.client.text_document_formatting_async(
            types.DocumentFormattingParams(document, types.FormattingOptions(4, True))
        )
        assert edits is not None
        assert used.edited(file, list(edits)) == right
        outline = await used.client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
        assert outline is not None
        assert [each.name for each in outline][:4] == ["Temp", "Turbine", "Turbine", "Flag"]

        first = await used.lens(file, "try Malf")
        assert first.title == "▷ try Malf on Temp.csv"
        printed = await used.run(first)
        assert "confirmed  turbine wt2 is about to shut down   Malf  T = 0" in printed
        assert "OK " not in printed
        assert len(used.documents) == 1

    session(folder, steps)


def test_files_that_include_each_other(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    main, limits = folder / "main.alog", folder / "limits.alog"
    main.write_text(
        'include "limits.alog".\nHot(X, T) :- Temp(X, V, T), V > hot.\nquery Hot(X, T).\n', "utf-8"
    )
    limits.write_text("input Temp(device, value: number, time).\nlimit hot = 90.\n", "utf-8")

    async def steps(used: Editor) -> None:
        used.open(limits)
        assert await used.codes(limits) == []  # it belongs to main.alog, which is not open
        used.open(main)
        assert await used.codes(main) == []
        changes = await used.renamed(limits, used.at(limits, "limit h"), "limit_of_heat")
        assert set(changes) == {main.as_uri(), limits.as_uri()}
        used.type(limits, "input Temp(device, value: number, time).\nlimit warm = 90.\n")  # not saved
        await used.codes(limits)
        assert await used.codes(main) == ["E302"]
        assert [each.uri for each in await used.definitions(main, '"lim')] == [limits.as_uri()]

    session(folder, steps)


def test_nothing_ends_the_server(folder: Path) -> None:
    """Texts that are no programs, positions that are nowhere, requests that there are not."""
    file = folder / "turbines.alog"

    async def steps(used: Editor) -> None:
        used.open(file)
        begun = ("", "%", '"', "((((", "query", "input P(", "P(X")
        for text in (*begun, "a" * 100_000, "\ud83d", "☃" * 10, "P(X,T):-Q(X,T).\x00"):
            used.type(file, text)
            document = used.document(file)
            for position in (types.Position(0, 0), types.Position(0, 7), types.Position(99, 99)):
                await used.client.text_document_hover_async(types.HoverParams(document, position))
                await used.client.text_document_completion_async(types.CompletionParams(document, position))
                await used.client.text_document_definition_async(types.DefinitionParams(document, position))
                await used.client.text_document_signature_help_async(
                    types.SignatureHelpParams(document, position)
                )
            await used.client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
            await used.client.text_document_formatting_async(
                types.DocumentFormattingParams(document, types.FormattingOptions(4, True))
            )
            await used.client.text_document_code_lens_async(types.CodeLensParams(document))
        with pytest.raises(JsonRpcException):
            await used.client.protocol.send_request_async("antelog/nothing", {"odd": 1})
        used.type(file, file.read_text(encoding="utf-8"))
        assert await used.codes(file) == []

    session(folder, steps)


def test_functions_are_never_run(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    trap = folder / "was_run"
    code = f"open({str(trap)!r}, 'w')\ndef near(lat: float) -> bool:\n    'How near.'\n"
    (folder / "places.py").write_text(code, "utf-8")
    (folder / "Place.csv").write_text("truck,lat,time\nb1,52.5,0\n", "utf-8")
    file = folder / "fleet.alog"
    file.write_text(
        "input Place(truck, lat: number, time).\nfunction near(lat).\n"
        "Home(X, T) :- Place(X, A, T), near(A).\nquery Home(X, T).\n",
        "utf-8",
    )

    async def steps(used: Editor) -> None:
        used.open(file)
        assert await used.codes(file) == []
        said = await used.hover(file, "T), near")
        assert "def near(lat: float) -> bool" in said
        assert "How near." in said
        lenses = await used.client.text_document_code_lens_async(types.CodeLensParams(used.document(file)))
        assert not lenses

    session(folder, steps)
    assert not trap.exists()


def test_how_many_tests_pass(folder: Path) -> None:
    file, tests = folder / "small.alog", folder / "small.test.yaml"
    file.write_text("Hot(X, T) :- Temp(X, high, T).\nquery Hot(X, T).\n", "utf-8")
    tests.write_text(
        "cases:\n- name: one\n  facts: Temp(a, high, 0)\n  expect:\n  - confirmed: Hot(a, 0)\n"
        "- name: other\n  facts: Temp(a, low, 0)\n  expect:\n  - confirmed: Hot(a, 0)\n",
        "utf-8",
    )

    async def steps(used: Editor) -> None:
        used.open(file)
        lens = await used.lens(file, "tests pass")
        assert lens.title == "✗ 1 of 2 tests pass"
        assert "other" in await used.run(lens)
        used.type(file, "Hot(X, T) :- Temp(X, L, T), L != none.\nquery Hot(X, T).\n")
        used.save(file)
        assert (await used.lens(file, "2 of 2")).title == "✓ 2 of 2 tests pass"

    session(folder, steps)


@pytest.mark.parametrize(
    ("program", "tests"),
    [
        ("function near(x).\n", "cases: []\n"),
        ("", "functions: places.py\ncases: []\n"),
        ("", '{"f\\x75nctions": places.py, cases: []}\n'),
        ("", "program: other.alog\ncases: []\n"),
        ("", "- a\n"),
        ("", "a: [\n"),
    ],
)
def test_tests_that_could_run_functions_are_left(program: str, tests: str, tmp_path: Path) -> None:
    (tmp_path / "rules.alog").write_text(f"{program}Hot(T) :- Temp(T).\nquery Hot(T).\n", "utf-8")
    (tmp_path / "rules.test.yaml").write_text(tests, "utf-8")
    assert runnable_tests(str(tmp_path / "rules.alog")) is None
    (tmp_path / "rules.test.yaml").write_text("cases: []\n", "utf-8")
    (tmp_path / "rules.alog").write_text("Hot(T) :- Temp(T).\nquery Hot(T).\n", "utf-8")
    assert runnable_tests(str(tmp_path / "rules.alog")) == tmp_path / "rules.test.yaml"
