"""The follower: facts of sources go through the engine as they come, and what changes is written.

    sources ──▶ clock (when they arrive) ──▶ waiting (until their tick is over) ──▶ engine ──▶ output, feed

Everything that has to be known to go on is in one file, the state: the engine's, how far each source was
read, and how much was written. So after a stop or a crash nothing is lost, and nothing is told twice.
"""
