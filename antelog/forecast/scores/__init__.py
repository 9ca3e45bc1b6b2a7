"""How good chances were: sums over settled answers, and what they say."""
