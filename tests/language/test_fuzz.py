"""antelog/language/syntax_errors.py: whatever the text, there is a program or an error that can be shown."""

import re
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from antelog import AntelogError, ProgramError, load, parse
from antelog.diagnostics import Source, to_json, to_text
from antelog.language.printer import to_text as printed
from tests.language.documents import DOCUMENTS
from tests.strategies import programs

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("tests/errors", "tests/conformance", "examples")
SEEDS = [
    path.read_text(encoding="utf-8") for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.alog"))
]
WORDS = (
    'tick input static delay query window horizon not ¬ :- -> ← → , ∧ . ( ) : _ + - = != < <= > >= ≠ ≤ ≥ % " '
    "\\ ' 0 1 2.5 1e9 9e99 high low wt2 X Y T S T+1 T-1 number text time Temp( Flag( Site(X) Site( P( T) ² ǅ"
)
TOKENS = [
    *WORDS.split(),
    *("tick ", " window ", " ", "\n", "% note\n", '"text"', '"\\u00b0"', "\x00", "\ufeff", "X, T)"),
    *("S <= T + 2", "10 minutes", "Temp(X, T)", "Flag(X, T)", "Flag(X, T+1)"),
]
PIECE = re.compile(r"\w+|\s+|\W")
FEW = settings(max_examples=max(60, settings().max_examples))


def survives(text: str) -> None:
    try:
        program = parse(text, pattern_limit=50)
        diagnostics, source = program.warnings, program.source
    except ProgramError as error:
        diagnostics, source = error.diagnostics, error.source
    assert source == Source(text)
    assert len(to_json(diagnostics, source)) == len(diagnostics)
    for diagnostic in diagnostics:
        assert to_text([diagnostic], source).startswith("<text>:")
        assert diagnostic.message
        assert diagnostic.hint
        for span in (diagnostic.span, *(note.span for note in diagnostic.notes)):
            assert 0 <= span.start <= span.end <= len(text)


@st.composite
def mutated(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A text in which tokens or characters are removed, doubled, exchanged or put in."""
    text = draw(texts)
    pieces = PIECE.findall(text) if draw(st.booleans()) else list(text)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(len(pieces) - 1, 0)))
        other = draw(st.integers(0, max(len(pieces) - 1, 0)))
        match draw(st.sampled_from(["remove", "double", "exchange", "insert", "replace"])):
            case "remove":
                del pieces[place : place + 1]
            case "double":
                pieces[place:place] = pieces[place : place + draw(st.integers(1, 9))]
            case "exchange" if pieces:
                pieces[place], pieces[other] = pieces[other], pieces[place]
            case "insert":
                pieces.insert(place, draw(st.sampled_from(TOKENS)))
            case _:
                pieces[place : place + 1] = [draw(st.sampled_from(TOKENS))]
    return "".join(pieces)


@FEW
@given(st.lists(st.sampled_from(TOKENS), max_size=40).map("".join) | st.text(max_size=60))
def test_random_tokens(text: str) -> None:
    survives(text)


def seed(number: int) -> str:
    return SEEDS[number]


@FEW
@given(mutated(st.integers(0, len(SEEDS) - 1).map(seed) | programs()))  # their texts would be a repr too long
def test_damaged_programs(text: str) -> None:
    survives(text)


@FEW
@given(DOCUMENTS.map(printed) | mutated(DOCUMENTS.map(printed)))
def test_random_documents(text: str) -> None:
    survives(text)


@given(st.binary(max_size=60) | st.sampled_from(SEEDS).map(lambda text: text.encode("utf-16")))
def test_random_files(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "program.alog")
        path.write_bytes(content)
        with suppress(AntelogError):
            load(path, pattern_limit=50)
