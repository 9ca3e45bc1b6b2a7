"""A pipeline: its settings, checked, and how it is told of while Spark works."""
