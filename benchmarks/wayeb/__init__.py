"""The price and the quality of forecasts beside Wayeb's, which forecasts when a pattern will be complete."""
