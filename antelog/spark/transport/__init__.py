"""Rows packed on their way to the buckets, and unpacked on the way to the user."""
