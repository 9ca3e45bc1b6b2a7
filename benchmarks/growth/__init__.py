"""How cost grows with what is asked for, and how soon changes are told, with the answers checked."""
