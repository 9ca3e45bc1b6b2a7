"""What the comparisons of a pattern say together."""
