"""The chance of a formula, given the facts that have come and those that have not."""
