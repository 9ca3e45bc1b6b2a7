"""What people and programs see of a command: answers, plans, diagnostics, progress, counts."""
