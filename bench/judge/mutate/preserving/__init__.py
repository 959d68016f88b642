"""Changes that leave what a program does as it was, one per file."""
