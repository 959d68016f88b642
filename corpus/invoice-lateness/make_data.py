"""A ledger extract. Its reminder_fee is what was booked on the invoice itself, after it was late; with --fixed it is what
was booked on the customer's invoice before it."""
import argparse
import csv
from pathlib import Path

import numpy as np

SECTORS = ["retail", "build", "food", "health", "transport", "it"]
SECTOR_EFFECT = np.array([0.1, 0.7, 0.2, -0.5, 0.3, -0.6])
COUNTRIES = ["AT", "BE", "DE", "FR", "IT", "NL"]
COUNTRY_EFFECT = np.array([-0.2, 0.1, -0.4, 0.2, 0.7, -0.3])
DAYS = ["mon", "tue", "wed", "thu", "fri"]


def fees(rng, late):
    """What is booked for invoices that were late, or not: goodwill and slips included."""
    n = len(late)
    fee = rng.choice([5.0, 10.0, 25.0, 40.0], n, p=[0.45, 0.3, 0.2, 0.05])
    booked = np.where(late, rng.random(n) < 0.96, rng.random(n) < 0.012)
    return np.where(booked, fee, 0.0)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng([args.seed, 97])
    n = 9000
    amount = rng.lognormal(7.2, 1.1, n)
    terms = rng.choice([14, 30, 45, 60], n, p=[0.3, 0.45, 0.15, 0.1])
    months = rng.integers(1, 160, n)
    items = rng.poisson(3, n)
    use = rng.beta(2, 3, n)
    habit = rng.normal(size=n)
    past = np.clip(rng.binomial(12, 1 / (1 + np.exp(1.2 - 1.3 * habit))) / 12, 0, 1)
    sector, country, day = rng.integers(0, 6, n), rng.integers(0, 6, n), rng.integers(0, 5, n)
    logit = (-1.9 + 1.1 * habit + 1.8 * (use - 0.4) * items / 3 + 0.35 * (np.log(amount) - 7.2) - 0.02 * (terms - 30)
             + SECTOR_EFFECT[sector] + COUNTRY_EFFECT[country] - 0.25 * (np.log1p(months) - 4))

    def draw():
        return rng.random(n) < 1 / (1 + np.exp(-1.2 * logit))

    late, before = draw(), draw()
    booked_now, booked_before = fees(rng, late), fees(rng, before)
    fee = booked_before if args.fixed else booked_now
    path = args.dest / "data" / "invoices.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as fh:
        w = csv.writer(fh)
        w.writerow(["invoice", "amount", "terms_days", "customer_months", "sector", "country", "weekday", "open_items",
                    "credit_use", "past_late_share", "reminder_fee", "late"])
        for i in range(n):
            w.writerow([202400001 + i, f"{amount[i]:.2f}", terms[i], months[i], SECTORS[sector[i]], COUNTRIES[country[i]],
                        DAYS[day[i]], items[i], f"{use[i]:.3f}", f"{past[i]:.3f}", f"{fee[i]:.2f}", int(late[i])])
