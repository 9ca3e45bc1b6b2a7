"""Alerts: changes sent to people and programs, by a process that never holds up the stream."""
