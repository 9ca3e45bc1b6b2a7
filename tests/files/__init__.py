"""Tests of reading recorded facts."""
