"""Where runs happen. The local executor starts a process tree on this machine and ends it whole."""
