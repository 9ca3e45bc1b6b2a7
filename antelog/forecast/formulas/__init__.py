"""What an answer waits for: a formula over series of facts, and how it is worked through tick by tick."""
