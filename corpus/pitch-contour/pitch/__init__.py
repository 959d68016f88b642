"""Pitch of sung vowels from band energies."""
