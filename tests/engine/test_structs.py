"""Lines with their literals as structs: they say what the texts do."""

from hypothesis import given

import antelog
from antelog.diagnostics import Source
from antelog.language import read
from antelog.lines import with_structs
from tests.all_cases import ANY
from tests.engine.few import at_most_for
from tests.engine.plain import PlainEngine
from tests.engine.replay import frames, runnable
from tests.strategies import Case


@given(ANY)
def test_structs_are_what_the_texts_read_as(case: Case) -> None:
    compiled = runnable(read(Source(case.text)))
    if compiled is None:
        return
    texts, structs = PlainEngine(compiled), PlainEngine(compiled, literals="structs")
    with at_most_for(case):
        for end in sorted({case.until // 2, case.until, case.until + 9}):
            given_facts = frames(case.facts, compiled.plan, texts.now, end)
            changes, found = texts.advance(end, given_facts), structs.advance(end, given_facts)
            for name, table in changes.items():
                assert with_structs(table).to_pylist() == found[name].to_pylist()
                assert found[name].schema == with_structs(table).schema
                assert with_structs(found[name]) is found[name]


def test_a_literal_as_a_struct() -> None:
    program = antelog.parse(
        "input Fail(x, y: number, time) delay 2. input On(x, time).\n"
        "Bad(X, T) :- On(X, T), not Fail(X, _, T+1..T+2), Fail(X, V, U), U > T. query Bad(X, T)."
    )
    engine = antelog.Engine(program, literals="structs")
    table = engine.advance(0, {"On": [("a", 0)]})["Bad"]
    (explanation,) = table["explanations"][0].as_py()
    assert [[*each.values()] for each in explanation["hypotheses"]] == [
        ["not Fail(a, _, 1..2)", "Fail", True, ["a", None], 1, 2],
        ["Fail(a, V, U) where U > 0", "Fail", False, ["a", None], None, None],
    ]


def test_lines_that_a_limit_rewrites_have_structs_too() -> None:
    program = antelog.parse("input A(x, time) delay 9. B(X, T) :- A(X, T), A(X, T+1). query B(X, T).")
    engine = antelog.Engine(program, literals="structs", limit=2)
    rows = engine.advance(3, {"A": [(x, 0) for x in "abc"]})["B"].to_pylist()
    explanations = [each for row in rows for each in row["explanations"]]
    lists = [each[part] for each in explanations for part in ("evidence", "hypotheses")]
    lists += [row["because"] or () for row in rows]
    assert "A" in {literal["predicate"] for each in lists for literal in each}
