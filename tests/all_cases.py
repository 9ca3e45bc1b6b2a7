"""Random cases of all kinds: small ones, which the specification can tell, and long ones."""

from __future__ import annotations

from tests.cases_of_latest import cases_of_latest
from tests.cases_of_open_ends import cases_of_open_ends
from tests.cases_of_pairs import cases_of_pairs
from tests.cases_of_sight import cases_of_sight
from tests.cases_of_values import cases_of_values
from tests.few_literals import cases_of_few_literals
from tests.random_mixtures import mixtures
from tests.strategies import cases
from tests.two_times import cases_with_two_times

_SOME = cases_of_few_literals() | cases_of_sight() | cases_of_values() | cases_of_pairs()

SMALL = cases() | _SOME | cases_with_two_times(latest=2, most=6) | cases_of_latest() | cases_of_open_ends()
SMALL |= mixtures(latest=3, most=8)

ANY = cases() | _SOME | cases_with_two_times() | cases_of_latest() | cases_of_open_ends() | mixtures()

# Long enough for what is decided to be forgotten, or remembered, before it is asked for again.
LONG = cases(latest=9, most=30) | _SOME | cases_with_two_times(latest=9, most=20)
LONG |= (
    cases_of_latest(latest=9, most=30) | cases_of_open_ends(latest=9, most=30) | mixtures(latest=9, most=30)
)
