"""Rules put together: the ways to derive what is asked for."""
