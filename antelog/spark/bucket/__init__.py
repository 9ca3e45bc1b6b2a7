"""A bucket: its state between two batches, and its output for a batch."""
