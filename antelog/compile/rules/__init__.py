"""Rules in normal form, and what can be said of them before they are put together."""
