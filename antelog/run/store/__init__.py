"""The store of a run: a file that one process writes and others read; and feeds of lines."""
