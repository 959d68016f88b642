"""Short-term forecasts of river stage."""
