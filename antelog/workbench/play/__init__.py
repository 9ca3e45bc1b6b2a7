"""`antelog play`: rules and facts that are edited beside the views of the page."""
