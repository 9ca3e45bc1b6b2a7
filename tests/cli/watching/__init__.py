"""Tests of following facts by `antelog watch`."""
