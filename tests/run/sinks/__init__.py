"""Tests of what is told of answers and of rows."""
