"""Where facts come from as they come: files that grow, folders, standard input, topics, an inbox.

    place_of("readings.csv")  ──▶  FileAt(readings.csv)  ──▶  a Source that is asked again and again

Each source says how far it has been read, in a form that a state file keeps, and goes on there.
"""
