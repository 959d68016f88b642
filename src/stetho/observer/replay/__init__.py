"""Where numbers stop being finite: the step is kept, run again in a twin, and followed back."""
