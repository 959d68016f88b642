"""The user's training code as a syntax tree: finding the call at a line, and writing a changed copy."""
