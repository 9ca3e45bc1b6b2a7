"""Tests of the board: a feed, folded."""
