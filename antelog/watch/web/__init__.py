"""The page: what is open now, why, and how far it can be trusted, in a browser."""
