"""When two programs mean the same, query by query, and what differs between them."""
