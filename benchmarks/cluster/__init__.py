"""Pipelines on a standalone cluster of Spark: several worker processes on one machine."""
