"""A client that talks to `antelog lsp` over its standard input and output, as an editor does."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

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
        self.messages: list[str] = []
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

        @client.feature(types.WINDOW_SHOW_MESSAGE)  # type: ignore[untyped-decorator]  # pygls
        def message(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)

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
