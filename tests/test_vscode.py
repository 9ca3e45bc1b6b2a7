"""editors/vscode: its colours and snippets are those of the language, and its parts fit together."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from antelog.language.highlighting import AntelogLexer
from antelog.language.printer import KEYWORDS
from antelog.language.syntax import SEVERITIES
from scripts import vscode

ROOT = Path(__file__).resolve().parent.parent
PACKAGE: dict[str, Any] = json.loads((vscode.EXTENSION / "package.json").read_text(encoding="utf-8"))
BUILT = {"dist/extension.js", "dist/LICENSES.txt", "LICENSE"}


@pytest.mark.parametrize("path", vscode.texts(), ids=lambda path: path.name)
def test_colours_and_snippets_are_current(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == vscode.texts()[path], "run: python -m scripts.vscode"


def test_every_word_of_the_language_has_a_colour() -> None:
    patterns = vscode.grammar()["repository"]["words"]["patterns"]
    coloured = " ".join(each.get("match", "") for each in patterns)
    words = {*KEYWORDS, *SEVERITIES, *vscode.words_of_grammar()}
    assert [word for word in sorted(words) if not re.search(rf"[|:]{word}[|)]", coloured)] == []


def test_the_same_words_have_colours_on_pages() -> None:
    """Pygments' lexer, which colours notebooks and pages, knows the words that the extension colours."""
    for word in vscode.words_of_grammar() - {"and", "one", "per", "again", "alert", "every", "given"}:
        found = AntelogLexer().get_tokens(f'{word} X {word} "X"')
        assert "Token.Keyword" in {str(kind) for kind, text in found if text == word}, word


def test_it_has_the_version_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert PACKAGE["version"] == project["version"]
    assert PACKAGE["license"] == project["license"]


def test_the_files_that_it_names_are_there() -> None:
    text = json.dumps(PACKAGE["contributes"])
    named = {each.removeprefix("./") for each in re.findall(r'"(\./[^"]+)"', text)} | {PACKAGE["icon"]}
    ignored = (vscode.EXTENSION / ".vscodeignore").read_text(encoding="utf-8")
    packed = {each[1:] for each in ignored.split() if each.startswith("!")}
    missing = [each for each in named | packed if each not in BUILT and not list(vscode.EXTENSION.glob(each))]
    assert missing == []
    assert [each for each in named if not any(Path(each).match(pattern) for pattern in packed)] == []


def test_a_folder_that_is_not_trusted_says_nothing_of_the_server() -> None:
    trust = PACKAGE["capabilities"]["untrustedWorkspaces"]
    assert trust["supported"] == "limited"
    assert trust["restrictedConfigurations"] == ["antelog.path"]


def test_its_libraries_are_locked_and_name_no_registry() -> None:
    lock = json.loads((vscode.EXTENSION / "package-lock.json").read_text(encoding="utf-8"))
    libraries = {name: each for name, each in lock["packages"].items() if name}
    assert [name for name, each in libraries.items() if "integrity" not in each] == []
    assert [name for name, each in libraries.items() if "resolved" in each] == []
