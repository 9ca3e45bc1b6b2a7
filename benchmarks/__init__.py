"""How fast the engine is, measured in CPU seconds, with the results checked against plain counts."""
