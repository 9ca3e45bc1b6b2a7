"""The language server: requests read a snapshot; an analysis follows some moments after the last change."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from antelog.diagnostics import Source, Span
from antelog.workbench.formatting import laid_out
from antelog.workbench.lsp import completing, navigating, verdicts
from antelog.workbench.lsp.navigating import Places, path_of
from antelog.workbench.lsp.session import Analysis, OpenText, Session, Snapshot, analysed, real

QUIET = 0.15  # seconds without a change after which a program is analysed
_MOST = 100_000_000  # the bytes of a message, at most
_LONGEST = 10_000  # the bytes of a line of a header, and of all its lines, at most


class RuleServer(LanguageServer):
    """A server with its session, and the work that goes on about programs, by their real paths."""

    def __init__(self) -> None:
        super().__init__("antelog", version("antelog"))
        self.session = Session()
        self._thread = ThreadPoolExecutor(1)
        self._planned: dict[str, asyncio.Task[Any]] = {}
        self._testing: dict[str, asyncio.Task[Any]] = {}
        self.verdicts: dict[str, verdicts.RuleVerdict | None] = {}
        self._published: dict[str, set[str]] = {}
        self._results = tempfile.TemporaryDirectory(prefix="antelog-results-")

    # ---- what changes the session ----

    def put(self, uri: str) -> None:
        """Adopts a text of the editor, and plans an analysis of its programs."""
        document = self.workspace.get_text_document(uri)
        self.session.put(OpenText(path_of(uri), uri, document.version, document.source))
        self.plan(path_of(uri))

    def close(self, uri: str) -> None:
        """Forgets a text of the editor: the file on disk counts from now on."""
        path = path_of(uri)
        roots = self.session.snapshot.roots_of(path)
        self.session.close(path)
        snapshot = self.session.snapshot
        for root in roots:
            if not any(real(each.name) in snapshot.texts for each in snapshot.files(root)):
                self._publish(root, {})
        self.plan_all()

    def plan_all(self) -> None:
        """Plans an analysis of all programs with an open text, after files have changed on disk."""
        self.session.forget()
        for each in list(self.session.snapshot.texts.values()):
            self.plan(each.path)

    def plan(self, path: str) -> None:
        for root in self.session.snapshot.roots_of(path):
            self._begin(self._planned, root, self._analysed(root, QUIET))

    def _begin(self, tasks: dict[str, asyncio.Task[Any]], root: str, work: Coroutine[Any, Any, Any]) -> None:
        """Begins work about a program, and cancels such work that goes on."""
        if (known := tasks.get(real(root))) is not None:
            known.cancel()
        tasks[real(root)] = asyncio.ensure_future(work)

    async def _analysed(self, root: str, quiet: float = 0) -> Analysis | None:
        await asyncio.sleep(quiet)
        snapshot = self.session.snapshot
        trees = self.session.trees_of(root)
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._thread, partial(analysed, root, snapshot, trees))
        except Exception:
            logging.getLogger(__name__).exception("%s cannot be analysed", root)
            return None
        if found is None:
            return None
        self.session.keep(found)
        self._refresh_lenses()
        self._publish(root, navigating.by_file(found, self.places(snapshot)), snapshot)
        return found

    def _refresh_lenses(self) -> None:
        able = self.client_capabilities.workspace
        if able is not None and able.code_lens is not None and able.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    def test(self, path: str) -> None:
        for root in self.session.snapshot.roots_of(path):
            self._begin(self._testing, root, self._tested(root))

    async def _tested(self, root: str) -> None:
        tests = verdicts.runnable_tests(root)
        self.verdicts[real(root)] = await verdicts.verdict_of(tests) if tests is not None else None
        self._refresh_lenses()

    def _publish(
        self, root: str, found: dict[str, list[types.Diagnostic]], snapshot: Snapshot | None = None
    ) -> None:
        """Shows the diagnostics of a program, and clears those of files that no longer belong to it."""
        places = Places(snapshot or self.session.snapshot)
        shown = self._published.get(real(root), set())
        for path in [*found, *(shown - set(found))]:
            text = places.snapshot.texts.get(real(path))
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(
                    places.uri(path), found.get(path, []), text.version if text else None
                )
            )
        self._published[real(root)] = set(found)

    # ---- what reads it ----

    async def ready(self, path: str) -> Snapshot:
        """Waits for a snapshot with an analysis of a file's program, which may be older than its text."""
        while True:
            snapshot = self.session.snapshot
            planned = self._planned.get(real(snapshot.roots_of(path)[0]))
            if snapshot.analysis_of(path) is not None or planned is None or planned.done():
                return snapshot
            await asyncio.wait([planned])

    def places(self, snapshot: Snapshot | None = None) -> Places:
        encoding = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
        return Places(snapshot or self.session.snapshot, encoding)

    def offset(self, params: Any) -> int:
        text = self.session.snapshot.text(path_of(params.text_document.uri))
        return self.places().offset(text, params.position)

    def named(self, params: Any, snapshot: Snapshot | None = None) -> navigating.NamePlaces | None:
        path = path_of(params.text_document.uri)
        return navigating.named(snapshot or self.session.snapshot, path, self.offset(params))

    async def show(self, name: str, text: str) -> None:
        """Shows a text to the user, as a document if the editor can do that."""
        window = self.client_capabilities.window
        if window is not None and window.show_document is not None and window.show_document.support:
            path = Path(self._results.name, f"{name}.txt")
            path.write_text(text, encoding="utf-8")
            uri = uris.from_fs_path(str(path)) or ""
            await self.window_show_document_async(types.ShowDocumentParams(uri, take_focus=False))
        else:
            self.window_show_message(types.ShowMessageParams(types.MessageType.Info, text[:2000]))


def server() -> RuleServer:
    made = RuleServer()
    _route_changes(made)
    _route_navigation(made)
    _route_writing(made)
    return made


def _route_changes(ls: RuleServer) -> None:
    @ls.feature(types.INITIALIZED)
    def initialized(_params: types.InitializedParams) -> None:
        folders = [uris.to_fs_path(each) for each in ls.workspace.folders]
        root = ls.workspace.root_path
        ls.session.folders = tuple(each for each in (folders or [root]) if each)
        ls.session.forget()

    @ls.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        ls.put(params.text_document.uri)
        ls.test(path_of(params.text_document.uri))

    @ls.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        ls.put(params.text_document.uri)

    @ls.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        ls.close(params.text_document.uri)

    @ls.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        ls.plan_all()
        ls.test(path_of(params.text_document.uri))

    @ls.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(_params: types.DidChangeWatchedFilesParams) -> None:
        ls.plan_all()


def _route_navigation(ls: RuleServer) -> None:
    @ls.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> list[types.Location]:
        return navigating.definitions(ls.named(params), ls.places())

    @ls.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(params: types.ReferenceParams) -> list[types.Location]:
        found, places = ls.named(params), ls.places()
        return [places.location(file, each.span) for file, each in found.everywhere] if found else []

    @ls.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlight(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        found, places = ls.named(params), ls.places()
        if found is None:
            return []
        near = (each for file, each in found.everywhere if file.name == found.file.name)
        return [types.DocumentHighlight(places.range(found.file, each.span)) for each in near]

    @ls.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        path = path_of(params.text_document.uri)
        snapshot = await ls.ready(path)
        found = ls.named(params, snapshot)
        text = completing.described(found, snapshot.analysis_of(path)) if found else None
        if found is None or text is None:
            return None
        content = types.MarkupContent(types.MarkupKind.Markdown, text)
        return types.Hover(content, ls.places(snapshot).range(found.file, found.mention.span))

    @ls.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def outline(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        path, snapshot = path_of(params.text_document.uri), ls.session.snapshot
        return navigating.symbols(Source(snapshot.text(path), path), ls.places(snapshot))

    @ls.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        path = path_of(params.text_document.uri)
        snapshot = await ls.ready(path)
        analysis = snapshot.analysis_of(path)
        if analysis is None:
            return []
        verdict = ls.verdicts.get(real(analysis.root))
        return verdicts.lenses(Source(snapshot.text(path), path), analysis, ls.places(snapshot), verdict)

    @ls.command(verdicts.SHOW_TESTS)
    async def show_tests(root: str) -> str | None:
        verdict = ls.verdicts.get(real(root))
        if verdict is not None:
            await ls.show(f"{Path(root).stem}-tests", verdict.text)
        return verdict.text if verdict else None

    @ls.command(verdicts.TRY)
    async def try_query(root: str, query: str) -> str | None:
        analysis = await ls._analysed(root)
        trials = verdicts.trials(analysis) if analysis else []
        trial = next((each for each in trials if each.query == query), None)
        if trial is None or analysis is None:
            message = f"{query} cannot be tried: the program has errors, or an input has no file beside it."
            ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))
            return None
        text = f"{query} on {trial.files}\n\n{await verdicts.tried(trial, analysis)}"
        await ls.show(f"{Path(root).stem}-{query}", text)
        return text


def _route_writing(ls: RuleServer) -> None:
    @ls.feature(
        types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["(", ",", "{", '"', ":"])
    )
    def completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        able = ls.client_capabilities.text_document
        item = able.completion.completion_item if able and able.completion else None
        path = path_of(params.text_document.uri)
        completer = completing.Completer(ls.session.snapshot, path, bool(item and item.snippet_support))
        return completer.items(ls.offset(params))

    @ls.feature(types.TEXT_DOCUMENT_SIGNATURE_HELP, types.SignatureHelpOptions(trigger_characters=["(", ","]))
    def signature(params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        return completing.signature(ls.session.snapshot, path_of(params.text_document.uri), ls.offset(params))

    @ls.feature(types.TEXT_DOCUMENT_FORMATTING)
    def layout(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        """The change that lays out a text, if it has no syntax errors."""
        path, snapshot = path_of(params.text_document.uri), ls.session.snapshot
        text = snapshot.text(path)
        found = laid_out(Source(text, path), ls.session.trees_of(snapshot.roots_of(path)[0])).text
        if found == text:
            return []
        whole = ls.places(snapshot).range(Source(text, path), Span(0, len(text)))
        return [types.TextEdit(whole, found)]

    @ls.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        found = navigating.renamable(ls.named(params))
        where = ls.places().range(found.file, found.mention.span)
        return types.PrepareRenamePlaceholder(where, found.mention.name)

    @ls.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def rename(params: types.RenameParams) -> types.WorkspaceEdit:
        return navigating.renamed(ls.named(params), params.new_name, ls.places())


class MessageReader:
    """Checks the headers of messages before the server reads them.

    Content-Length: 52        one header line at least, then an empty line, then that many bytes of JSON

    After a header without the length of its message nobody knows where the next one begins: the server ends,
    and `problem` says why.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._header = stream, list[bytes]()
        self.problem = ""

    def readline(self) -> bytes:
        """Reads a line of a header; nothing at the end."""
        if not self._header:
            self._header = self._next()
        return self._header.pop(0) if self._header else b""

    def read(self, size: int) -> bytes:
        return self._stream.read(size)

    def _next(self) -> list[bytes]:
        """Reads the header of the next message that has content; nothing at the end, or if it is wrong."""
        while not self.problem:
            header = b""
            while (line := self._stream.readline(_LONGEST)).strip() and len(header) < _LONGEST:
                header += line
            if not line:
                return []
            if not header:  # an empty line between messages
                continue
            pairs = [line.partition(b":") for line in header.splitlines()]
            found = [value.strip() for name, _, value in pairs if name.strip().lower() == b"content-length"]
            shown = repr(b", ".join(found)[:50].decode("utf-8", "replace"))
            if not found:
                self.problem = "a message has no Content-Length"
            elif len(found) > 1 or not found[0].isdigit():
                self.problem = f"the Content-Length of a message is {shown}, which is not a number of bytes"
            elif len(found[0].lstrip(b"0")) > len(str(_MOST)) or int(found[0]) > _MOST:
                self.problem = f"the Content-Length of a message is {shown}; {_MOST:,} bytes are the most"
            elif length := int(found[0]):  # else there is nothing to read
                return [b"Content-Length: %d\r\n" % length, b"\r\n"]
        return []


class OneLine(logging.Formatter):
    """Writes an error in one line, because editors show the log of a server."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - as its base calls it
        return f"{ei[0].__name__}: {ei[1]}".partition("\n")[0]

    def format(self, record: logging.LogRecord) -> str:
        first, *others = super().format(record).splitlines()
        first = first.removesuffix("Traceback (most recent call last):").rstrip(": ")
        return ": ".join([first, *others[-1:]])
