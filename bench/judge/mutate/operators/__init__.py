"""Faults, one per file."""
