"""Chances of open answers, in extra columns of the change log, which is otherwise unchanged."""
