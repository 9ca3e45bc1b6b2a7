"""What names values for an unguarded variable."""
