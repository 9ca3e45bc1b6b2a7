"""Columns of facts as Arrow arrays, as readers of files hand them to an engine."""
