"""Programs as table functions of SQL."""
