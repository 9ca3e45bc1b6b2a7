"""The commands, a module for each: options in, an exit status out."""
