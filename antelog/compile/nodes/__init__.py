"""The nodes of patterns and plans."""
