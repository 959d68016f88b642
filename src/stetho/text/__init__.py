"""Text logs of any shape: lines become shapes, shapes are understood once, and their numbers are read in bulk."""
