"""antelog beside other systems: the same events, the same questions, every answer checked."""
