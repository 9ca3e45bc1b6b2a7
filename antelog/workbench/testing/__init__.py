"""Tests of rules: `NAME.test.yaml` beside `NAME.alog`."""
