"""Tools for those who write rules: they test, compare, lay out and try programs."""
