"""Tools for those who write rules: tests, and what else code has around it."""
