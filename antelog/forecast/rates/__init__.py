"""How often the facts of a series come, and how late: declared or counted."""
