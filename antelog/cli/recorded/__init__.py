"""Recorded facts: from files, in the order of their arrival, through an engine."""
