"""From incidents to rules: how rules would have done against a list of what went wrong."""
