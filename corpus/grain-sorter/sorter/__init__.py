"""Sorting of grains on a conveyor by their camera image."""
