"""A language server: nothing of a folder that is opened is run or imported."""
