"""Sources of facts and sinks of changes and rejects."""
