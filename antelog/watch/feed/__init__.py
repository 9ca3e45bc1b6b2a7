"""The feed: a folder of lines that the follower writes, and that the page and the alerts read.

    follower ── FeedWriter ──▶ 00000000.jsonl, 00000001.jsonl, … ──▶ FeedReader ── page, alerts

A feed is a log with a beginning that moves on. Each file of it, a *segment*, begins with all that is open, so
that a reader can begin with any of them and know everything.
"""
