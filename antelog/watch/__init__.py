"""A page of open answers, and alerts: each reads the feed of a run, in a process that never holds it up."""
