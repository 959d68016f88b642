"""Plants one known fault, or a change without meaning, in a healthy program: in its code or in its data files."""
