"""The engines in Python, each a program of its own: `python -m benchmarks.compare.engines.NAME`."""
