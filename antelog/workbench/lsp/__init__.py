"""A language server: `session` has the texts of an editor, `server` says which function answers a request.

Nothing of a folder that is opened is run or imported.
"""
