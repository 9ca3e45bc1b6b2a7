"""What the Makefile calls to set the project up."""
