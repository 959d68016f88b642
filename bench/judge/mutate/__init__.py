"""Plants one known fault, or a change without meaning, in a healthy program: in its syntax tree or in its data files."""
