"""antelog/language/{printer,highlighting}.py: what is printed reads as the same; words have their colours."""

from hypothesis import given
from pygments.token import Comment, Keyword, Name, Number, Token

from antelog.diagnostics import Source
from antelog.language import syntax
from antelog.language.highlighting import AntelogLexer
from antelog.language.parser import parse
from antelog.language.printer import to_text, value_text
from antelog.language.syntax import Value
from tests.cli.trying import TURBINES
from tests.language.documents import DOCUMENTS
from tests.tables import cases


@given(DOCUMENTS)
def test_round_trip(document: syntax.Document) -> None:
    text = to_text(document)
    parsed = parse(Source(text))
    assert parsed.diagnostics == ()
    assert parsed.document == document
    assert to_text(parsed.document) == text


@cases(__file__, "constants_have_quotes_only_where_needed")
def test_constants_have_quotes_only_where_needed(value: Value, text: str) -> None:
    assert value_text(value) == text


def test_a_sum_with_nothing_is_in_parentheses_where_others_are() -> None:
    rule = "P(X, T) :- R(X, V, T), R(X, W, T+1), (W+0) * V >= 5."
    (parsed,) = parse(Source(rule)).document.rules
    assert to_text(parsed) == rule


# ---- colours ----


def test_words_of_the_language() -> None:
    text = 'input Temp(d, time) delay 1. % late\nP(X, T) :- not Temp(X, "a%b", T+1), X != 3.\n'
    found = list(AntelogLexer().get_tokens(text))
    assert "".join(value for _, value in found) == text
    assert Token.Error not in {kind for kind, _ in found}
    kinds = {value: kind for kind, value in found}
    assert kinds["input"] is kinds["not"] is Keyword
    assert kinds["Temp"] is Name.Function
    assert kinds["X"] is Name.Variable
    assert kinds["% late"] is Comment.Single


def test_words_of_a_slot_have_their_kinds() -> None:
    text = "input Temp(device, tick, time) delay 1, one per device and tick.\nOne(one, T) :- Per(and, T)."
    kinds = [kind for kind, word in AntelogLexer().get_tokens(text) if word in ("one", "per", "and")]
    assert kinds == [Keyword, Keyword, Keyword, Name.Constant, Name.Constant]


def test_every_character_of_an_example_is_known() -> None:
    tokens = AntelogLexer().get_tokens(TURBINES.read_text(encoding="utf-8"))
    assert Token.Error not in {kind for kind, _ in tokens}


def test_percentages_and_comments_are_told_apart() -> None:
    text = "chance P(_) = 5%, % often, 3%\n again 80%.\nP(X, T) :- Q(X, T), T > 5% five\n."
    found = list(AntelogLexer().get_tokens(text))
    assert "".join(value for _, value in found) == f"{text}\n"
    assert [value for kind, value in found if kind is Number] == ["5%", "80%", "5"]
    assert [value for kind, value in found if kind is Comment.Single] == ["% often, 3%", "% five"]
    assert [value for kind, value in found if kind is Keyword] == ["chance", "again"]


def test_the_predicate_of_a_window_has_its_colour() -> None:
    found = list(AntelogLexer().get_tokens("window On 20 horizon 5."))
    assert [word for kind, word in found if kind is Name.Function] == ["On"]
    assert [word for kind, word in found if kind is Keyword] == ["window", "horizon"]


def test_words_of_queries_have_a_colour_there_only() -> None:
    text = 'query Malf(X, T) critical alert 80% many "{n}" given Load(X, L, T).\nquery A(X, T)   good.\n'
    text += "A(X, T) :- B(X, critical, many, T), X != good.\n"
    words = ("critical", "given", "good", "many")
    kinds = [kind for kind, word in AntelogLexer().get_tokens(text) if word in words]
    assert kinds == [Keyword] * 4 + [Name.Constant] * 3
