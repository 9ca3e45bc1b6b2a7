"""The changes that a new version of a program makes: in meaning, and in answers on recorded facts."""
