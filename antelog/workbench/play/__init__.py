"""`antelog play`: rules and facts that are edited beside the views of the page.

Draft           a program and tables of facts, as texts
play            what comes of a draft, tick by tick
PlayBench       the draft of a page, which the page posts its edits to
"""
