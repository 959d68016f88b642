"""Late failures: recent batches and states, kept to go back to."""
