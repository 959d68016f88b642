"""The room that a command runs in. All of it works without stetho: it is loaded by `isolate.py` alone.

What takes long to import is imported where it is needed, if at all: every run waits for this.
"""

# How the program ends when it could make no room; nothing of the user's command has run then.
REFUSED = 97
# What it reports then, if only a file could not be changed: another way would not help.
EDIT = "edit"
