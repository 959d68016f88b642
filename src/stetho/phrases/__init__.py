"""What a log can say, one phrase per file, found by this folder."""
