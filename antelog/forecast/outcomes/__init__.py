"""Open answers, tracked until they settle, and statistics of their outcomes."""
