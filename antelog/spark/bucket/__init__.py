"""A bucket: what it knows between two batches, and what a batch makes of it."""
