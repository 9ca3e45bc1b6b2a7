"""Tests of the executable specification."""
