"""The judge of values: how near the latest values are to the thresholds of a query's comparisons."""
