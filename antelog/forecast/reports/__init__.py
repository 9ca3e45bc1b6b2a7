"""Scores and learned rates as text and pages."""
