"""Settings that are known to work, one kind of run per file."""
