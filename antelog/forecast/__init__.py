"""How likely open answers are: chances beside the change log, which is the same with and without them."""
