"""Command-line arguments: options, runners, checked settings and completion."""
