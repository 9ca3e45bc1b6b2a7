"""Scores for people to read: as text, as JSON, and as a page with pictures."""
