"""A plan for people, and as JSON."""
