"""How often facts come and how late: what was seen of them, what is declared, what was learned."""
