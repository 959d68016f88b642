"""What keeps an experiment from touching anything of the user's: rooms to run in, copies, what was written."""
