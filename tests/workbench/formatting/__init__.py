"""Tests of the layout of programs."""
