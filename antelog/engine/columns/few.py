"""How many rows are few: up to so many are looked at one by one, in place of as columns.

A step with one fact makes hundreds of calls, and a call into NumPy takes as long as twenty numbers in Python.
So the primitives that every step needs most, such as keys, have a short way for few rows. What they give is
the same.
"""

from __future__ import annotations

FEW = 64
