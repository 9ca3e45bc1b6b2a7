"""Tests of where facts come from as they come."""
