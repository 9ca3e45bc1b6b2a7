"""Tests of the server for assistants."""
