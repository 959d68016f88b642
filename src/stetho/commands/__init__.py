"""The verbs of the command line, one per file, each loaded when it is used."""
