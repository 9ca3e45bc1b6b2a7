"""antelog/language/{parser,syntax}.py: every construct, every notation, and the place of every node."""

import pytest

import antelog
from antelog import ProgramError
from antelog.diagnostics import Source, Span
from antelog.language import parser
from antelog.language.parser import cut, parse
from antelog.language.printer import to_text
from antelog.language.syntax import (
    Anonymous,
    Atom,
    Bound,
    Chance,
    Column,
    Comparison,
    Constant,
    Delay,
    Input,
    Negation,
    Percentage,
    Query,
    Rule,
    Shifted,
    Statement,
    Static,
    Term,
    Tick,
    Variable,
    Words,
    Zone,
)

X, T = Variable("X"), Variable("T")


def read(text: str) -> Statement:
    """The one statement of a text."""
    parsed = parse(Source(text))
    assert parsed.diagnostics == ()
    (statement,) = parsed.document.statements
    return statement


def term(text: str) -> Term:
    rule = read(f"P({text}, T) :- Q(T).")
    assert isinstance(rule, Rule)
    return rule.head.terms[0]


FLAG = Atom("Flag", (X, T))
HOT = Atom("Temp", (X, Constant("high"), T))

STATEMENTS: list[tuple[str, Statement]] = [
    ("tick 10 minutes.", Tick(Bound(10, "minutes"))),
    ('zone "Europe/Berlin".', Zone("Europe/Berlin")),
    ("input P(time).", Input("P", (Column("time"),))),
    (
        "input P(a, v: number, t) delay 2.",
        Input("P", (Column("a"), Column("v", "number"), Column("t")), Bound(2)),
    ),
    (
        "input P(one, t) delay 2 one, one per tick.",
        Input("P", (Column("one"), Column("t")), Bound(2, "one"), ()),
    ),
    ("input P(t) delay 1.5 hours.", Input("P", (Column("t"),), Bound(1.5, "hours"))),
    ("static P(a: text, b).", Static("P", (Column("a", "text"), Column("b")))),
    ("delay P(wt4, _, _) = 2.", Delay("P", (Constant("wt4"), Anonymous(), Anonymous()), Bound(2))),
    (
        "delay P(_) = 2 (70%, 20%, 8.5%).",
        Delay("P", (Anonymous(),), Bound(2), (Percentage(70), Percentage(20), Percentage(8.5))),
    ),
    (
        "input P(a, t) delay 0 (99%), one per a.",
        Input("P", (Column("a"), Column("t")), Bound(0), (Column("a"),), (Percentage(99),)),
    ),
    ("chance P(_) = 0%, again 0.5%.", Chance("P", (Anonymous(),), Percentage(0), Percentage(0.5))),
    (
        'query Flag(X, T) many "{n}" alert 80% critical "{X}:{{hot}}" window 10.',
        Query(FLAG, Bound(10), None, Percentage(80), "critical", Words("{X}:{{hot}}"), (), Words("{n}")),
    ),
    (
        "query Flag(chance, alert, many).",
        Query(Atom("Flag", tuple(map(Constant, ("chance", "alert", "many"))))),
    ),
    ("alert(X, T) :- again(X, T).", Rule(Atom("alert", (X, T)), (Atom("again", (X, T)),))),
    ("query Flag(X, T) horizon 1 hour window 2 hours.", Query(FLAG, Bound(2, "hours"), Bound(1, "hour"))),
    ("Off(0).", Rule(Atom("Off", (Constant(0),)), ())),
    ("Flag(X, T) :- Temp(X, high, T).", Rule(FLAG, (HOT,))),
    ("Temp(X, high, T) -> Flag(X, T).", Rule(FLAG, (HOT,))),
    ("Flag(X, T) ← Temp(X, high, T).", Rule(FLAG, (HOT,))),
    ("Flag(X, T) :- Temp(X, high, T), not P(T).", Rule(FLAG, (HOT, Negation(Atom("P", (T,)))))),
    ("Flag(X, T) :- Temp(X, high, T) ∧ ¬P(T).", Rule(FLAG, (HOT, Negation(Atom("P", (T,)))))),
]


@pytest.mark.parametrize(("text", "expected"), STATEMENTS)
def test_statements(text: str, expected: Statement) -> None:
    assert read(text) == expected
    assert read(text.replace(" ", "\n\t ") + " % a comment.") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X", X),
        ("Ärger", Variable("Ärger")),
        ("_", Anonymous()),
        ("high", Constant("high")),
        ('"high"', Constant("high")),
        ('"50 % of it"', Constant("50 % of it")),
        ('"a \\"b\\" \\\\ \\n \\u00b0"', Constant('a "b" \\ \n °')),
        ("7", Constant(7)),
        ("-7", Constant(-7)),
        ("+ 7", Constant(7)),
        ("7.25", Constant(7.25)),
        ("2.5E-1", Constant(0.25)),
        ("T+1", Shifted("T", 1)),
        ("V+0.5", Shifted("V", 0.5)),
        ("T+0", Shifted("T", 0)),
        ("delay", Constant("delay")),
    ],
)
def test_terms(text: str, expected: Term) -> None:
    assert term(text) == expected


@pytest.mark.parametrize("text", ["1", "1.0", "1.00", "1e0", "10e-1"])
def test_numbers_have_one_form(text: str) -> None:
    read_term = term(text)
    assert isinstance(read_term, Constant)
    assert isinstance(read_term.value, int)
    assert read_term.value == 1


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        *((f"V {operator} 5", operator) for operator in ("=", "!=", "<", "<=", ">", ">=")),
        *(("V≤5", "<="), ("V≥5", ">="), ("V ≠ 5", "!=")),
    ],
)
def test_comparisons(text: str, operator: str) -> None:
    rule = read(f"P(T) :- Q(V, T), {text}.")
    assert isinstance(rule, Rule)
    assert rule.body[1] == Comparison(Variable("V"), operator, Constant(5))


TEXT = """% first
input  Temp(device, v: number, time) delay 2 hours.
Hot(X, T+1) :- Temp(X, V, T),
    not Off(X, T-1), V >= 9.5.   query Hot(X, _).
delay Temp(wt4, _, _) = 3."""


def test_spans_point_at_the_text() -> None:
    parsed = parse(Source(TEXT))
    declaration, rule, query, delay = parsed.document.statements
    assert isinstance(declaration, Input)
    assert isinstance(rule, Rule)
    assert isinstance(query, Query)
    assert isinstance(delay, Delay)
    temp, negation, comparison = rule.body
    assert isinstance(temp, Atom)
    assert isinstance(negation, Negation)
    assert isinstance(comparison, Comparison)
    assert declaration.delay is not None
    spans = {
        declaration.span: "input  Temp(device, v: number, time) delay 2 hours.",
        declaration.name_span: "Temp",
        declaration.columns[1].span: "v: number",
        declaration.columns[1].type_span: "number",
        declaration.delay.span: "2 hours",
        rule.head.span: "Hot(X, T+1)",
        rule.head.name_span: "Hot",
        rule.head.terms[1].span: "T+1",
        temp.span: "Temp(X, V, T)",
        negation.span: "not Off(X, T-1)",
        negation.atom.name_span: "Off",
        comparison.span: "V >= 9.5",
        comparison.right.span: "9.5",
        query.span: "query Hot(X, _).",
        query.atom.terms[1].span: "_",
        delay.name_span: "Temp",
        delay.pattern[0].span: "wt4",
        delay.bound.span: "3",
    }
    assert {TEXT[span.start : span.end]: text for span, text in spans.items()} == {
        t: t for t in spans.values()
    }


def test_every_statement_is_read_on_its_own() -> None:
    parsed = parse(Source('A(T) :- B(T).\nC(T) : D(T).\nE("x, T).\nquery A(T).'))
    assert [s.span for s in parsed.document.statements] == [Span(0, 13), Span(37, 48)]
    assert [d.code for d in parsed.diagnostics] == ["E001", "E002"]
    assert {"C", "D", "E"} <= parsed.unread
    assert "A" not in parsed.unread


@pytest.mark.parametrize("text", ["", " \n", "% nothing"])
def test_nothing_is_a_document(text: str) -> None:
    parsed = parse(Source(text))
    assert (parsed.document.statements, parsed.diagnostics) == ((), ())


@pytest.mark.parametrize("word", ["tick", "zone", "input", "static", "delay", "query", "window", "horizon"])
def test_words_of_the_language_name_no_predicate(word: str) -> None:
    for text in (f"P(T) :- {word}(T).", f"Q(T) -> {word}(T).", f"input {word}(time).", f"static {word}(a)."):
        (found,) = parse(Source(text)).diagnostics
        assert (found.code, text[found.span.start : found.span.end]) == ("E001", word)


# ---- comments, and where statements end ----


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("delay P(_) = 2 % slow", "delay P(_) = 2       "),
        ("delay P(_) = 2% slow", "delay P(_) = 2      "),
        ("delay P(_, 5% five", "delay P(_, 5      "),
        ("delay P(_) = 1 (70%, 30%)% late", "delay P(_) = 1 (70%, 30%)      "),
        ("delay P(_) = 1 (70 %, 30%)", "delay P(_) = 1 (70        "),
        ('delay P("(", 5% five', 'delay P("(", 5      '),
        ("input P(time) delay 0 (9%)", None),
        ("input P(time) delay 0% none", "input P(time) delay 0      "),
        ("chance P(_) = 5%, again 80%.% often", "chance P(_) = 5%, again 80%.       "),
        ("chance P(5% five", "chance P(5      "),
        ("chance P(_) =5%", None),
        ("query P(X, T) alert 80%", None),
        ("query P(X, T) window 5% ticks", "query P(X, T) window 5       "),
        ("P(X, T) :- Q(X, V, T), V = 5% of it", "P(X, T) :- Q(X, V, T), V = 5       "),
        ("P(X, T) :- again(X, V, T), alert 5% of it", "P(X, T) :- again(X, V, T), alert 5       "),
        ("chance P(_) = 5%% five", "chance P(_) = 5%      "),
        ('P("5%, again 5%", T)% none', 'P("5%, again 5%", T)      '),
    ],
)
def test_comments_are_blank(text: str, left: str | None) -> None:
    assert cut(text).text == (left or text)


def test_a_percentage_ends_no_statement() -> None:
    text = "chance P(_) = 0.5%, again 1.5%. % twice.\ndelay P(_) = 0 (1.5%).\nQ(T) :- P(T)."
    cuts = cut(text).statements
    assert [text[each.start : each.end] for each in cuts] == [
        "chance P(_) = 0.5%, again 1.5%.",
        "delay P(_) = 0 (1.5%).",
        "Q(T) :- P(T).",
    ]


def test_what_is_read_shows_each_percentage() -> None:
    text = """delay Temp(_, _, _) = 2 % slow
        .
        chance Temp(_, high, _) = 5%, % seldom, again 3%
          again 80%.
    """
    assert to_text(parse(Source(text)).document) == (
        "delay Temp(_, _, _) = 2.\nchance Temp(_, high, _) = 5%, again 80%.\n"
    )


def test_a_missing_full_stop_does_not_hide_the_next_percentage() -> None:
    (error,) = parse(Source("query P(X, T)\nchance Q(_) = 5%, again 80%.\nQ(T) :- P(T).")).diagnostics
    assert error.message == "this statement has no full stop at its end"


# ---- programs beyond all measure are refused at once, and large ones are not ----

RULE = "P(X, T) :- A(X, T). query P(X, T)."


def _columns(count: int) -> str:
    return ", ".join(f"X{i}" for i in range(count))


WRONG = {
    "name": (f"P{'a' * 10**6}(X, T) :- A(X, T).", "more than 10000 characters"),
    "quoted": (f'P(X, T) :- A(X, "{"a" * 10**6}", T).', "more than 10000 characters"),
    "number": (f"P(X, T) :- A(X, {'7' * 10**6}, T).", "more than 10000 characters"),
    "unfinished": (f"P(X, T) :- A(X, T), {'a' * 10**6}", "more than 10000 characters"),
    "columns": (f"P({_columns(20_000)}, T) :- A({_columns(20_000)}, T).", "20001 columns; 1000"),
    "input": (f"input A({_columns(1_000).lower()}, time).", "1001 columns; 1000"),
    "delay": (f"delay A({_columns(1_000)}, T) = 1.", "1001 columns; 1000"),
    "negated": (f"P(X, T) :- A(X, T), not B({_columns(1_000)}, T).", "1001 columns; 1000"),
    "conditions": (f"P(X, T) :- A(X, T){', X != 1' * 20_000}.", "20001 conditions; 5000"),
    "deep": (f"P(X, T) :- A(X, V, T), V > {' + '.join('V' * 1_000)}.", "more than 100 calculations"),
    "nested": (f"P(X, T) :- A(X, V, T), V > {'abs(' * 500}V{')' * 500}.", "more than 100 calculations"),
    "unread": ("." * 10**6, "more than 1000 statements cannot be read"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_too_large_is_refused_with_its_limit(name: str) -> None:
    text, reason = WRONG[name]
    with pytest.raises(ProgramError) as error:
        antelog.parse(f"{RULE}\n{text}")
    last = error.value.diagnostics[-1]
    assert (last.code, last.name) == ("E003", "too-large")
    assert reason in last.message
    assert last.hint
    assert last.span.start >= len(RULE)


def test_too_many_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "MOST_RULES", 3)
    monkeypatch.setattr(parser, "MOST_STATEMENTS", 6)
    assert [
        *antelog.parse("static S(a). S(a). S(b). S(c). P(X, T) :- A(X, T), S(X). query P(X, T).").plan.queries
    ]
    with pytest.raises(ProgramError, match=r"more than 3 rules and declarations"):
        antelog.parse(RULE + "Q(X, T) :- A(X, T). query Q(X, T).")
    with pytest.raises(ProgramError, match=r"more than 6 statements"):
        antelog.parse("static S(a)." + "S(a)." * 6 + RULE)
    with pytest.raises(ProgramError, match=r"more than 6 statements"):
        antelog.parse("static S(a)." + "S(a)." * 9)


def test_a_text_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "LONGEST_TEXT", 50)
    (found,) = parse(Source(RULE * 2)).diagnostics
    assert "has 68 characters; 50 are the most" in found.message


def test_what_is_large_is_read() -> None:
    assert [*antelog.parse(f"% {'=' * 10**6}\n{RULE}").plan.queries], "lines that divide"
    assert [*antelog.parse(f'P(X, T) :- A(X, "{"a" * 9_000}", T). query P(X, T).').plan.queries]
    assert [*antelog.parse(f"P(X0, T) :- A({_columns(900)}, T). query P(X0, T).").plan.queries]
    assert [*antelog.parse(f"P(X, T) :- A(X, T){', X != 1' * 2_000}. query P(X, T).").plan.queries]
    assert [*antelog.parse(f"P(X, T) :- A(X, V, T), V > {' + '.join('V' * 90)}. query P(X, T).").plan.queries]
