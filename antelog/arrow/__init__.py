"""Columns of facts as Arrow arrays, before an engine takes them: kinds of values, usual types, and ticks.

Readers of files and the engine take what is here. It knows neither plans nor engines.
"""
