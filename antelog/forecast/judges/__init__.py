"""Judges of open answers, and the mean of their predictions."""
