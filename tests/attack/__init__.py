"""Attacks: programs, files, frames and calls that nobody should make, but somebody will.

A finding is whatever a user should never see: an exception that is no AntelogError (nor one of Click's), a
traceback, a wait of more than `findings.PATIENCE`, or more memory than `findings.MOST_MEMORY`.
"""
