"""Net CO2 uptake of leaves from cuvette measurements."""
