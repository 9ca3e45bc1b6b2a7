"""The comparisons of a pattern as one system: contradictions, consequences, largest differences."""
