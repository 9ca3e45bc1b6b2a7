"""antelog/spark/settings.py: the names of what is counted."""

from antelog.accounts import FATES
from antelog.spark.settings import COUNTS, STANDING


def test_every_fate_is_counted_and_what_stands_is_no_sum() -> None:
    assert set(FATES) < set(COUNTS)
    assert set(STANDING) < set(COUNTS)
    assert not set(STANDING) & set(FATES)
