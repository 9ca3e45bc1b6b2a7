"""A pipeline under way: looked at before it starts, guarded, followed, stopped."""
