"""Every program of the project through everything that shows a line."""
