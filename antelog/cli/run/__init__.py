"""A pipeline on Spark: column mapping, the run, the report and the page."""
