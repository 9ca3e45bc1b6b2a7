"""Tests of the rule language: its parser, its printer, its checks."""
