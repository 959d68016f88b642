"""Solubility of small molecules from their graphs."""
