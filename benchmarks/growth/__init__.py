"""How cost grows with what is asked for, and how soon changes are reported, with the answers checked."""
