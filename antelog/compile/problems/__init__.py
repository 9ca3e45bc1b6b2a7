"""Diagnostics about whole programs, for their authors."""
