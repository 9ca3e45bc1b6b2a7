"""How good forecasts are: recorded streams replayed, and their chances scored beside simpler ones."""
