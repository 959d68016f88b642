"""What the artifacts of a run say together: series get their roles, files become runs, and runs become facts."""
