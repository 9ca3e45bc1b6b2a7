"""How good forecasts are: recorded streams told in order, and their chances scored beside simpler ones."""
