"""Tests of the tools for those who write rules."""
