"""`antelog watch`: a page of open answers, and alerts.

Both read the *feed* that a run writes, each in a process of its own: if they are slow or crash, the stream is
not affected.
"""
