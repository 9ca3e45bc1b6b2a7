"""Spark itself: found, started, silent, its failures in plain words."""
