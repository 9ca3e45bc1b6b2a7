"""A language server: what an editor asks about rules while they are written.

Texts come in as they are typed, and requests about places in them; errors, descriptions, places and changes
go out. `session` has what changes, and snapshots of it; `server` says which function answers which request.
Nothing of a folder that is opened is run or imported.
"""
