"""antelog/markup.py: whatever data contains, it stays text."""

from hypothesis import given
from hypothesis import strategies as st

from antelog.markup import Html, number, ready, tag, text


def test_elements() -> None:
    assert tag("p", "a", tag("b", "c"), None, ["d", 1200]) == "<p>a<b>c</b>d1,200</p>"
    assert tag("input", name="x", checked=True, disabled=False, value=None) == '<input name="x" checked>'
    assert tag("rect", x=1.25, viewbox="0 0") == '<rect x="1.2" viewBox="0 0"/>'
    found = tag("a", href="?x=1&y", class_="row", data_id="3")
    assert found == '<a href="?x=1&amp;y" class="row" data-id="3"></a>'
    assert (number(3.0), number(3.14)) == ("3", "3.1")


@given(st.text())
def test_texts_and_values_never_become_markup(data: str) -> None:
    found = tag("p", data, title=data)
    assert found.count("<") == 2
    assert found.count(">") == 2
    assert found.count('"') == 2


def test_markup_is_put_in_as_it_is() -> None:
    assert text(ready("<b>"), "<b>") == "<b>&lt;b&gt;"
    assert isinstance(text("a"), Html)
