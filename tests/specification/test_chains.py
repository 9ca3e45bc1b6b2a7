"""tests/specification/chains.py: the outcomes of a chain are what all its ways amount to."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from tests.specification.chains import Chain, Event, Seen, State

_CHANCES = st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(1, 2)])
_STATES = st.builds(
    State,
    st.just("A"),
    st.sampled_from([("a",), ("b",)]),
    _CHANCES,
    _CHANCES,
    st.sampled_from([(Fraction(1),), (Fraction(1, 2), Fraction(1, 4)), (Fraction(1, 4),) * 3]),
)


@given(
    st.lists(_STATES, min_size=1, max_size=2, unique_by=lambda state: state.values),
    st.sets(st.integers(0, 3), min_size=1),
    st.integers(0, 3),
    st.sampled_from([None, 0, 1, 2]),
)
def test_outcomes_are_what_all_ways_amount_to(
    states: list[State], ticks: set[int], now: int, seen_at: int | None
) -> None:
    """Each way as a whole: a state and a lateness for every tick, None for what is lost."""
    seen = {} if seen_at is None or seen_at > now else {seen_at: Seen(0, states[0].shares[0])}
    chain = Chain(tuple(states), frozenset(ticks), seen)
    last = max(now, *ticks)
    each = [(None, None), *((i, d) for i, s in enumerate(states) for d in (*range(len(s.shares)), None))]
    expected: dict[tuple[Event, ...], Fraction] = {}
    for way in product(each, repeat=last + 1):
        weight, before, events = Fraction(1), None, []
        for tick, (state, late) in enumerate(way):
            fits_seen = (state, late) == (0, 0) if tick in seen else late is None or tick + late > now
            others = sum(
                (s.again if i == before else s.once for i, s in enumerate(states) if i != state), Fraction(0)
            )
            if state is None:
                weight *= 1 - others
            else:
                own = states[state]
                weight *= own.again if state == before else own.once
                weight *= own.shares[late] if late is not None else 1 - sum(own.shares)
                if tick in ticks and tick not in seen:
                    events.append(Event(own.fact(tick), None if late is None else tick + late))
            weight *= int(fits_seen)
            before = state
        if weight:
            key = tuple(events)
            expected[key] = expected.get(key, Fraction(0)) + weight
    assert chain.outcomes(0, now) == expected
