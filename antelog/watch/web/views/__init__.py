"""The six views: what is known, as HTML that a browser puts into the page."""
