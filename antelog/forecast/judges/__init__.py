"""Judges of open answers, and the mean of what they say."""
