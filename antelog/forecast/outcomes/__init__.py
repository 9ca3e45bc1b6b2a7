"""Open answers followed until they are settled, and counts of what became of them."""
