#!/usr/bin/env python
"""Replays a recorded AIS session: one fixed-size record per track on stdout.

A record is WINDOW x 4 float32 (dx, dy, speed, turn rate) and one float32 with the vessel type.
Numpy only: it also runs on the receiver.
"""
import argparse
import sys

import numpy as np

WINDOW = 16
FIELDS = 4
# type -> (mean speed, spread of turns, how often it stops)
HABITS = {0: (14.0, 0.02, 0.0), 1: (8.0, 0.35, 0.05), 2: (5.0, 0.08, 0.3), 3: (22.0, 0.1, 0.02)}


def sail(rng, kind):
    speed, turns, stops = HABITS[kind]
    turn = rng.normal(0, turns + 0.08, WINDOW)
    heading = rng.uniform(0, 2 * np.pi) + np.cumsum(turn)
    now = speed * rng.lognormal(0, 0.25) * (1 + 0.15 * rng.standard_normal(WINDOW))
    now[rng.random(WINDOW) < stops] = 0.0
    track = np.stack([now * np.cos(heading), now * np.sin(heading), now, turn], axis=1).astype(np.float32)
    return track


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--tracks", type=int, required=True)
    ap.add_argument("--session", type=int, default=7)
    args = ap.parse_args()
    rng = np.random.default_rng(args.session)
    out = sys.stdout.buffer
    mmsi = rng.integers(201_000_000, 775_999_999, size=400)
    for n in range(args.tracks):
        kind = int(rng.integers(len(HABITS)))
        track = sail(rng, kind)
        lost = np.flatnonzero(rng.random(WINDOW) < 0.04)
        if len(lost):
            gaps = ",".join(map(str, lost))
            print(f"decode: track {n} mmsi {rng.choice(mmsi)}: bad checksum in sentence {gaps}, interpolated", file=sys.stderr)
            track[lost] = track[np.clip(lost - 1, 0, None)]
        out.write(track.tobytes() + np.float32(kind).tobytes())
    out.flush()


if __name__ == "__main__":
    main()
