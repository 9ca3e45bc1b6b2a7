"""Spark's session: requirements, settings, start and filtered output."""
