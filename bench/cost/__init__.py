"""What observing a run costs: the programs, the measurements and the page that `bench/overhead.py` writes."""
