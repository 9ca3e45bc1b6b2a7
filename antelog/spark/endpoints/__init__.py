"""Where facts come from and where changes go."""
