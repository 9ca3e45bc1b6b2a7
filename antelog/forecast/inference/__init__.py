"""The chance of a formula: what may still come, given what has come and what has not."""
