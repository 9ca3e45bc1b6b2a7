"""The commands and the Python code in the documentation can be run as they stand there.

README, tutorial, examples and some pages have tests of their own: `test_walks.py`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from antelog.errors import UnsupportedError
from antelog.spark.pipeline.requirements import require_java
from tests.cli.trying import antelog
from tests.docs.pages import ROOT, Block, all_blocks, commands
from tests.docs.walking import without_spark

WALKED = (
    "README", "examples/", "tutorial/", "watch.md", "from-csv-to-alert.md", "idioms.md", "testing.md",
    "commands.md", "incidents.md", "coming-from/",
)  # fmt: skip
BLOCKS = [block for block in all_blocks() if not block.page.startswith(WALKED)]
COMMANDS = [
    pytest.param(words[1:], id=f"{block}-{number}")
    for block in BLOCKS
    if block.language == "sh"
    for number, words in enumerate(commands(block))
    if words[0] == "antelog" and words[1] not in ("watch", "state")  # of a run that goes on, or went
]
OUTPUT = "# "


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of the example, and those the pages show."""
    shutil.copytree(ROOT / "examples" / "turbines", tmp_path, dirs_exist_ok=True)
    shutil.copytree(ROOT / "examples" / "turbines", tmp_path / "examples" / "turbines")
    for folder in ("readings", "new", "newer"):
        (tmp_path / folder).mkdir()
    shutil.copy(tmp_path / "Temp.csv", tmp_path / "readings" / "monday.csv")
    for block in BLOCKS:
        if block.file is not None:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLANT_PASSWORD", "secret")
    log = antelog("try", "turbines.alog", "--input", "Temp=Temp.csv").stdout
    (tmp_path / "changes.jsonl").write_text(log, encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("words", COMMANDS)
def test_commands(words: list[str]) -> None:
    with without_spark() as started:
        found = antelog(*words)
    assert found.exit_code == 0, found.stderr
    assert len(started) == (words[0] == "run")


def test_there_are_commands() -> None:
    assert sum("'run'" in str(words.values) for words in COMMANDS) >= 7


PRINTING = [
    b for b in all_blocks() if b.language == "python" and b.page in {"README.md", "forecasts.md", "python.md"}
]


@pytest.mark.parametrize("block", PRINTING, ids=str)
def test_python_prints_what_it_says(block: Block, here: Path) -> None:
    assert _printed(block, here).splitlines() == [
        line.rpartition(OUTPUT)[2] for line in block.text.splitlines() if line.strip().startswith("print(")
    ]


def test_the_page_about_pictures_draws(here: Path) -> None:
    block = next(b for b in BLOCKS if b.language == "python" and b.page == "pictures.md")
    assert _printed(block, here) == ""
    assert {"answers.svg", "open.html", "rules.png"} <= {path.name for path in here.iterdir()}


def test_the_library_on_spark(here: Path) -> None:
    try:
        require_java()
    except UnsupportedError as error:
        pytest.skip(str(error))
    parts = [b for b in BLOCKS if b.language == "python" and b.page == "spark/library.md"]
    whole = Block("spark/library.md", 1, "python", None, "\n".join(part.text for part in parts))
    said = _printed(whole, here)
    assert "|   3|confirmed|wt2|  0|" in said
    assert "confirmed wt2 0 None" in said
    assert "arrived at tick 9, 6 ticks after its deadline" in said
    assert "|   3|wt2|  0|" in said
    assert list(here.glob("library-rejects/batch=0/_SUCCESS"))
    assert "|wt2|  0|   3|" in said
    assert "|wt2|  0|\n" in said
    assert "1 file" in said


def _printed(block: Block, folder: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, "-c", block.text],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
