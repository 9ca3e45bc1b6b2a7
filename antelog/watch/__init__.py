"""`antelog watch`: a program over live facts, a page of open answers, and alerts.

The follower reads growing files, topics and other sources, and writes changes into a *feed*, a folder. The
page and the alerts read the feed, each in a process of its own: if they are slow or crash, the stream is not
affected.
"""
