"""The model of facts: the chances of answers from formulas, odds and what has come so far."""
