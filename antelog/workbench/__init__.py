"""Tools for those who write rules."""
