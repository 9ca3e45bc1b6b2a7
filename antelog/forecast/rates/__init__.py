"""Rates and delays of the facts of a series: declared or counted."""
