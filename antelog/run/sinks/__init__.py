"""Sinks of changes: JSON lines, a file, a topic, a feed for the page and alerts."""
