"""What the author of a program is told."""
