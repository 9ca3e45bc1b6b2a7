"""The tutorial and the examples can be followed word by word."""

import shutil
from pathlib import Path

import pytest

from antelog.errors import UnsupportedError
from antelog.spark.pipeline.requirements import require_java
from tests.cli.trying import antelog
from tests.docs.pages import ROOT, Block, blocks_of, name_of
from tests.docs.walking import Step, missing, run, steps, without_spark

EXAMPLES = sorted(ROOT.glob("examples/*/README.md"))
GUIDES = [
    ROOT / "docs" / f"{name}.md"
    for name in (
        "index",
        "watch",
        "from-csv-to-alert",
        "idioms",
        "testing",
        "commands",
        "moving",
        "incidents",
        "sources/prometheus",
    )
]
WALKS = [ROOT / "README.md", *GUIDES, *sorted(ROOT.glob("docs/tutorial/*.md")), *EXAMPLES]
RECORDED = "expected.txt"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _walk(page: Path, folder: Path, *, spark: bool) -> None:
    """Follows a page. What cannot be run is left out, and so is what follows in its block."""
    left_out: str | None = None
    if page in EXAMPLES:
        shutil.copytree(page.parent, folder, dirs_exist_ok=True)
    elif page.parent == ROOT or page.stem in ("commands", "incidents"):
        shutil.copytree(ROOT / "examples", folder / "examples")
    for step in steps(blocks_of(page)):
        if isinstance(step, Block):
            assert step.file is not None
            Path(folder, step.file).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, step.file).write_text(step.text, encoding="utf-8")
            continue
        if step.pipeline and not spark:
            with without_spark() as started:
                found = antelog(*step.words[1:])
            assert found.exit_code == 0, f"{step.place}: {found.stderr}"
            assert len(started) == 1
        if step.place == left_out or not step.possible or (step.spark and not spark):
            left_out = step.place
            continue
        printed = run(step)
        absent = missing(step.shown, printed)
        assert absent is None, f"{step.place}: `{absent}` is not in\n{printed}"


@pytest.mark.parametrize("page", WALKS, ids=name_of)
def test_walks(page: Path, here: Path) -> None:
    _walk(page, here, spark=False)


def _runs_on_spark(page: Path) -> bool:
    return any(isinstance(step, Step) and step.possible and step.spark for step in steps(blocks_of(page)))


# The README starts Spark as the tutorial does.
@pytest.mark.parametrize("page", [page for page in WALKS[1:] if _runs_on_spark(page)], ids=name_of)
def test_walks_on_spark(page: Path, here: Path) -> None:
    try:
        require_java()
    except UnsupportedError as error:
        pytest.skip(str(error))
    _walk(page, here, spark=True)


def test_which_walks_start_spark() -> None:
    pages = [
        page.parent.name if page in EXAMPLES else page.stem for page in WALKS[1:] if _runs_on_spark(page)
    ]
    assert pages == ["index", "moving", "first-rule", "operating", "pipelines"]


# ---- the examples ----


def test_every_example_has_a_page() -> None:
    folders = sorted(path for path in ROOT.glob("examples/*") if path.is_dir())
    assert [page.parent for page in EXAMPLES] == folders


@pytest.mark.parametrize("page", EXAMPLES, ids=name_of)
def test_first_commands_print_what_is_expected(page: Path, here: Path, record: bool) -> None:
    """Of each example all that its first replay prints is kept."""
    shutil.copytree(page.parent, here, dirs_exist_ok=True)
    replays = [
        step
        for step in steps(blocks_of(page))
        if isinstance(step, Step) and step.words[:2] == ("antelog", "try")
    ]
    done = antelog(*replays[0].words[1:])
    assert done.exit_code == 0, done.stderr
    if record:
        (page.parent / RECORDED).write_text(done.stdout, encoding="utf-8")
    assert done.stdout == (page.parent / RECORDED).read_text(encoding="utf-8")


# ---- the walker ----


@pytest.mark.parametrize(
    ("shown", "absent"),
    [
        (["a"], None),
        (["a", "b"], None),
        (["b"], "b"),
        (["…", "c d"], None),
        (["a", "…", "c …"], None),
        (["a", "c d"], "c d"),
        (["…", "c d", "a"], "a"),
    ],
)
def test_missing(shown: list[str], absent: str | None) -> None:
    assert missing(shown, "a\nb\nc d\n") == absent
