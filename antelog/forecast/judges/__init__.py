"""The judge of outcomes, the average of both judges, and the answers they are told the fate of."""
