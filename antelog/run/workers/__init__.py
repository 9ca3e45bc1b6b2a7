"""Workers of a run: processes, each with the facts and answers of some values of the program's key."""
