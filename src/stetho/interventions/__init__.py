"""One change to a run per file. Each file is also loaded in the user's interpreter, so it imports no stetho."""
