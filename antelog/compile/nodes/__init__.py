"""What patterns and plans consist of."""
