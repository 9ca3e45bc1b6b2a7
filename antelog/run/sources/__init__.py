"""Sources of facts, each polled for pieces of rows, with a mark from which another reads on."""
