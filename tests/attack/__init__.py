"""Attacks: programs, files, frames and calls that nobody should make, but somebody will.

    python -m tests.attack programs --count 30000 --seed 1

Each is tried in this process. A finding is whatever a user should never see: an exception that is no
AntelogError (nor an error of Click's), a traceback, a wait of more than `findings.PATIENCE`, or more
memory than `findings.MOST_MEMORY`.
"""
