"""antelog/language/moments.py: ticks as times, for people."""

from functools import partial

import pytest

from antelog.language.moments import Timescale, literal_of, moment, tick_of_literal

SECOND = 1_000_000
MINUTE, DAY = 60 * SECOND, 86_400 * SECOND


@pytest.mark.parametrize(
    ("tick", "length", "text"),
    [
        (28_492_200, MINUTE, "2024-03-04 06:00"),
        (19_786, DAY, "2024-03-04"),
        (1_709_532_001, SECOND, "2024-03-04 06:00:01"),
        (3_419_064_001, SECOND // 2, "2024-03-04 06:00:00.500"),
        (3_419_064_000, SECOND // 2, "2024-03-04 06:00:00.000"),
        (3_419_064_001 * 2_000, 250, "2024-03-04 06:00:00.500000"),
        (7, MINUTE, "7"),  # counted from 0
        (7, None, "7"),
        (2**40, 7 * DAY, str(2**40)),  # after the last year that can be written
    ],
)
def test_moments(tick: int, length: int | None, text: str) -> None:
    assert moment(tick, None if length is None else Timescale(length)) == text


@pytest.mark.parametrize(
    ("tick", "length", "text"),
    [
        (28_492_200, MINUTE, "2024-03-04 07:00+01:00"),
        (19_786, DAY, "2024-03-04"),
        (19_906, DAY, "2024-07-02"),
        (2827, 7 * DAY, "2024-03-04"),
        (3_419_064_001, SECOND // 2, "2024-03-04 07:00:00.500+01:00"),
    ],
)
def test_a_zone_has_its_offset_behind_each_time_of_day(tick: int, length: int, text: str) -> None:
    assert moment(tick, Timescale(length, "Europe/Berlin")) == text


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        ("Temp(wt2, 19786)", "Temp(wt2, 2024-03-04)"),
        ("not Temp(19786, 19787)", "not Temp(19786, 2024-03-05)"),
        ('Said("(19786), \\"", 19786)', 'Said("(19786), \\"", 2024-03-04)'),
        ("Stop(X, S) where S > 19786, X > 19786", "Stop(X, S) where S > 2024-03-04, X > 19786"),
        ("Stop(S) where 19786 >= S, S != 19787", "Stop(S) where 2024-03-04 >= S, S != 2024-03-05"),
        ("Stop(S) where 19786 <= S+4, S-4 < 19787", "Stop(S) where 2024-03-04 <= S+4, S-4 < 2024-03-05"),
        ("Stop(S) where S > T + 4", "Stop(S) where S > T + 4"),
        ("Stop(T+2)", "Stop(T+2)"),
    ],
)
def test_literals(literal: str, text: str) -> None:
    assert literal_of(literal, partial(moment, timescale=Timescale(DAY))) == text
    assert literal_of(literal, partial(moment, timescale=None)) == literal


def test_what_stands_in_quotes_is_no_time() -> None:
    literal = 'Ack(a, W, S) where W != ", S >= 19786, S < 19787", S >= 19788'
    said = 'Ack(a, W, S) where W != ", S >= 19786, S < 19787", S >= 2024-03-06'
    assert literal_of(literal, partial(moment, timescale=Timescale(DAY))) == said


@pytest.mark.parametrize(
    ("literal", "tick"),
    [
        ("Temp(a, 7)", 7),
        ("not Temp(7)", 7),
        ("Temp(a, T+1)", None),
        ('Temp("b, 3)", 7) where "b 3)" != W', 7),
        ("Temp(a, W, T) where 3 > abs(W - 5)", None),
        ("Temp(a, W, 7) where 3 > abs(W - 5)", 7),
    ],
)
def test_a_literal_is_about_the_tick_of_its_atom(literal: str, tick: int | None) -> None:
    assert tick_of_literal(literal) == tick


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "value", ["a" * 1_000_000, '"' + "b, (" * 300_000 + '"', '"' + '\\"' * 500_000 + '"']
)
def test_long_values_are_read_once(value: str) -> None:
    written = partial(moment, timescale=Timescale(DAY))
    assert literal_of(f"Temp({value}, 19786)", written) == f"Temp({value}, 2024-03-04)"
    cut = f"Temp({value}, 19786"
    assert literal_of(cut, written) == cut
