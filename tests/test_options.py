"""scripts/options.py: the table of options in the documentation is the one of the struct."""

from scripts.options import PAGE, with_table


def test_the_table_is_that_of_the_struct() -> None:
    page = PAGE.read_text("utf-8")
    assert with_table(page) == page, "python -m scripts.options writes it anew"
