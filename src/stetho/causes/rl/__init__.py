"""Causes, one per file: what each predicts, how it is told apart, how it is cured."""
