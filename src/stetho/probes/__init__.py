"""One per file, found by this folder."""
