"""Surrogate of a thick plano-convex / meniscus singlet for the alignment optimiser."""
