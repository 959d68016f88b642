"""What is seen to be wrong, before any cause is named; the gravest symptom stands for the run."""
