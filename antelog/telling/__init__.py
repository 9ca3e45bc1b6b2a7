"""What an engine tells, on its way to a reader: JSON lines of changes, and rows that were set aside.

What `antelog try` prints and what `antelog watch` writes is made here, so that both are the same.
"""
