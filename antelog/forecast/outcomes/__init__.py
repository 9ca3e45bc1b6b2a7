"""Open answers, tracked until they are decided, and statistics of their outcomes."""
