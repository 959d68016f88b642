"""What is followed at every step, by the part of a training program that it tells of."""
