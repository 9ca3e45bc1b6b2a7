"""Inputs and options of a user, checked and made into the job that every worker gets."""
