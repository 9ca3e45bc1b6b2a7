"""How a user's data and options become a job."""
