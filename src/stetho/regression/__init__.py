"""It worked before: a run that was fine beside the one that fails, and the smallest difference that matters.

`reference` says what was named as good, `alignment` where the two runs part, `bisection` which difference does it.
"""
