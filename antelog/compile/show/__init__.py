"""A plan for people."""
