"""`antelog watch`: a program over facts as they come, a page that shows what is open, alerts to people.

The follower takes facts from files that grow, topics and the like, and writes what changes into a *feed*, a
folder. The page and the alerts read the feed, each in a process of its own: they may fall behind, or fall
over, and the stream goes on.
"""
