"""Declared rates and delays of the facts of a series, and counts by key."""
