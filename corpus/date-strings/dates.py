"""Dates as people write them, and as a machine wants them."""
import random

MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
          "december"]
PAD, BOS, EOS = "_", "<", ">"
SOURCE = PAD + "0123456789abcdefghijklmnopqrstuvwxyz ,./"
TARGET = PAD + BOS + EOS + "0123456789-"


def pair(rng):
    year, month, day = rng.randint(2000, 2029), rng.randint(1, 12), rng.randint(1, 28)
    name = MONTHS[month - 1]
    written = rng.choice([
        f"{day} {name} {year}",
        f"{name[:3]} {day}, {year}",
        f"{day}. {name[:3]} {year}",
        f"{name} {day} {year}",
    ])
    return written, f"{year}-{month}-{day}"


def pairs(n, seed):
    rng = random.Random(seed)
    return [pair(rng) for _ in range(n)]
