"""stetho finds out why a machine-learning training run fails, and proves it."""

__version__ = "0.1.0"
