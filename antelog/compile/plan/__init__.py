"""The properties of a plan that follow from its patterns: bounds, levels, the key."""
