"""What a feed says, folded into what the page shows."""
