"""What judges stetho: cases with known truth, faults planted in healthy programs, and the scoreboard over both."""
