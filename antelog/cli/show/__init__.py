"""The output of commands: answers, plans, diagnostics, progress and counts."""
