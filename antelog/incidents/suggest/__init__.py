"""Proposes rules from facts and a list of incidents: conditions as columns, searched and tested on folds."""
