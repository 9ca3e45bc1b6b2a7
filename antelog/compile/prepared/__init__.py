"""Patterns prepared for the engine."""
