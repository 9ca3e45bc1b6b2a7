"""The command line; each command parses its options, calls the library and shows the result."""
