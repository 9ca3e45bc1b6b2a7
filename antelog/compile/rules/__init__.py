"""Rules in normal form, and checks of single rules before resolution."""
