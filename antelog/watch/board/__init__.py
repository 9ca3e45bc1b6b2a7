"""The state of the page, folded from the records of a feed."""
