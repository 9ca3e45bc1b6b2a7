"""Scores forecasts: replays recorded streams, and scores their chances beside simpler ones."""
