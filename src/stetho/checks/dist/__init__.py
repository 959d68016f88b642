"""Checks, one per file: facts in, findings out."""
