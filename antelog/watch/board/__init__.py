"""The records of a feed, folded into the state of the page."""
