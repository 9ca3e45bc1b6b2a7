"""What was learned, in files."""
