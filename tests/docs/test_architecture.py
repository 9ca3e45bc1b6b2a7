"""The tour of the code shows the rows that the stages of the engine, and of a forecast, do make."""

import pytest

from tests.docs import forecast_stages, stages
from tests.docs.pages import ROOT, all_blocks

PAGES = {
    name: (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    for name, page in {"stages": "architecture", "forecast_stages": "internals"}.items()
}
STAGES = [
    *(("stages", *each) for each in stages.stages()),
    *(("forecast_stages", *each) for each in forecast_stages.forecast_stages()),
]


@pytest.mark.parametrize(("module", "stage", "rows"), [pytest.param(*each, id=each[1]) for each in STAGES])
def test_the_page_has_the_rows_after_each_stage(module: str, stage: str, rows: str) -> None:
    assert f"\n{rows}\n" in PAGES[module], (
        f"{stage}: put what `python -m tests.docs.{module}` prints into the page"
    )


def test_the_page_has_the_programs() -> None:
    for page, program in {"architecture.md": stages.PROGRAM, "internals.md": forecast_stages.PROGRAM}.items():
        blocks = [b.text.strip() for b in all_blocks() if b.page == page and b.language == "antelog"]
        assert blocks == [program.strip()]
