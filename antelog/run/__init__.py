"""One driver for all runners: addresses, settings, clock, waiting rows, sources, sinks, store."""
