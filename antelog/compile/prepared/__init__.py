"""Patterns in the form the engine looks at."""
