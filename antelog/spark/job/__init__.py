"""What a user hands over, checked and made into a job: what every worker is told."""
