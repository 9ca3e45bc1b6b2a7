"""Sources of facts: files that grow, complete files, standard input, topics, posted facts.

Each is polled for pieces of rows, and has a mark of how far it was read, from which another reads on.
"""
