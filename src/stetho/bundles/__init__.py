"""A run's artifacts as one file that can be handed on: what was read of them, what people want to see, no secrets."""
