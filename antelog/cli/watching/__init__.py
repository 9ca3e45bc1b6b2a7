"""What `antelog watch` was asked for, made into a follower, with the page and the alerts beside it."""
