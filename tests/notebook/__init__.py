"""Tests of what notebooks display."""
