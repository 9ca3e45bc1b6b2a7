"""antelog/watch/board/brief.py: what is due of rules and facts, in the words of their queries."""

import tomllib
from collections.abc import Sequence
from pathlib import Path

from antelog import Engine, parse
from antelog.run.store.inbox import Act
from antelog.watch.board.board import Board
from antelog.watch.web.live_board import EngineReader
from antelog.watch.web.views.context import TickClock
from tests.tables import cases

PROGRAM = parse("""
input Temp(device, level, time) delay 2.
chance Temp(_, mild, _) = 10%.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1), Temp(X, high, T+2).
Cold(X, T) :- Temp(X, low, T), Temp(X, low, T+1), Temp(X, low, T+2).
Mild(X, T) :- Temp(X, mild, T), Temp(X, mild, T+1).
query Malf(X, T) critical "turbine {X} is about to shut down" many "{n} turbines are about to shut down"
    runbook "https://wiki.example/{X}#{T}".
query Cold(X, T) "{X} cools down".
query Mild(X, T) warning alert 80%.
""")


def board_of(facts: Sequence[tuple[int, str, str, int]]) -> Board:
    """The board of an engine that had these facts: when each came, its device, level and tick."""
    engine, board = Engine(PROGRAM), Board()
    reader = EngineReader(engine, PROGRAM)
    for now in sorted({each[0] for each in facts}):
        come = [(device, level, tick) for at, device, level, tick in facts if at == now]
        reader.tell(now, engine.advance(now, {"Temp": come}))
    board.take(reader.read(1_000))
    return board


@cases(__file__, "briefs")
def test_briefs(
    facts: Sequence[tuple[int, str, str, int]],
    taken: Sequence[str],
    sentence: str,
    rest: str,
    due: Sequence[object],
) -> None:
    board = board_of(facts)
    acts = {name: [Act(name, "acknowledged", "ann", 0.0, None, "", (*board.open,))] for name in taken}
    board.tables.acts = lambda: acts
    clock = TickClock(None, board.tick or 0)
    found = board.tables.brief(clock.wall, board.inputs.silent(0.0), clock.until, clock.at)
    assert (found.sentence, found.rest) == (sentence, rest)
    assert [found.number, *filter(None, [found.severity])] == due


def test_runbooks() -> None:
    """No value of a fact is more than a part of the address."""
    path = Path(__file__).with_suffix(".toml")
    for value, address in tomllib.loads(path.read_text(encoding="utf-8"))["runbooks"]["cases"]:
        for level, expected in (("high", address), ("low", "")):
            board = board_of([(1, value, level, 1)])
            assert board.head.runbook(next(iter(board.open.values()))) == expected
