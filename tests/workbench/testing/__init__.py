"""Tests of the tests of rules."""
