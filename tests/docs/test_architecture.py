"""The tour of the code shows the rows that the stages of the engine do make."""

import pytest

from tests.docs import stages
from tests.docs.pages import ROOT, all_blocks

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("stage", "rows"), [pytest.param(*each, id=each[0]) for each in stages.stages()])
def test_the_page_has_the_rows_after_each_stage(stage: str, rows: str) -> None:
    assert f"\n{rows}\n" in PAGE, f"{stage}: put what `python -m tests.docs.stages` prints into the page"


def test_the_page_has_the_program() -> None:
    blocks = [b.text.strip() for b in all_blocks() if (b.page, b.language) == ("architecture.md", "antelog")]
    assert blocks == [stages.PROGRAM.strip()]
