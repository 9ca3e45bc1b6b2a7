"""Tests of following sources."""
