"""Scores of chances: sums over settled answers, and their results."""
