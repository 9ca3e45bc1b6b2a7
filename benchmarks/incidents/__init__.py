"""Rules from incidents: what `antelog suggest` finds of planted causes, and what it does on public data."""
