"""What follows from the patterns: bounds, levels, the key."""
