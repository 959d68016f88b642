"""`python -m stetho`."""

from stetho.cli import main

main()
