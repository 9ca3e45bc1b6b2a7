"""A stream as it comes: followed in this process, shown on a page, told to people."""
