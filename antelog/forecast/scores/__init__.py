"""Scores of chances: sums over decided answers, and their results."""
