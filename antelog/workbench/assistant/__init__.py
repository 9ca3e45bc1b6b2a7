"""Rules for programs that write programs: a server of the Model Context Protocol, which reads one folder."""
