"""What stands on the command line, read: files of predicates, ticks, what Tab suggests."""
