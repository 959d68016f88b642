"""Pen strokes, and the weights that every run starts from. They were drawn with a standard deviation of 1 instead of the
usual uniform range of 1/sqrt(hidden); with --fixed they have that range."""
import argparse
from pathlib import Path

import numpy as np

H, POINTS = 48, 25
SHAPES = {"gru.weight_ih_l0": (3 * H, 2), "gru.weight_hh_l0": (3 * H, H), "gru.bias_ih_l0": (3 * H,), "gru.bias_hh_l0": (3 * H,),
          "hidden.weight": (H, H), "hidden.bias": (H,), "out.weight": (7, H), "out.bias": (7,)}


def path(kind, rng):
    t = np.linspace(0, 1, POINTS)
    a = 2 * np.pi * t
    x, y = [
        (np.cos(a), np.sin(a)),
        (2 * t - 1, 1 - 2 * np.abs(2 * t - 1)),
        (2 * t - 1, np.where(t < 0.35, -2 * t, -0.7 + 2.6 * (t - 0.35))),
        (t * np.cos(2 * a), t * np.sin(2 * a)),
        (2 * t - 1, 0.5 * np.sin(2 * a)),
        (np.where(t < 0.6, 0, 0.5 - 0.5 * np.cos(np.pi * (t - 0.6) / 0.4)), np.where(t < 0.6, 1 - 3 * t, -0.8 - 0.5 * np.sin(np.pi * (t - 0.6) / 0.4))),
        (2 * t - 1, 2 * t - 1),
    ][kind]
    turn, sx, sy = rng.normal(0, 0.35), *rng.uniform(0.7, 1.3, 2)
    p = np.stack([sx * x, sy * y], 1) @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    if rng.random() < 0.5:
        p = p[::-1]
    return p + 0.06 * rng.standard_normal(p.shape)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    a = ap.parse_args()
    rng = np.random.default_rng(a.seed + 19)
    dest = Path(a.dest)
    (dest / "start").mkdir(parents=True, exist_ok=True)
    arrays = {}
    for part, n in (("train", 1400), ("test", 500)):
        kind = rng.integers(7, size=n)
        arrays[f"{part}_points"] = np.stack([path(k, rng) for k in kind]).astype(np.float32)
        arrays[f"{part}_kind"] = kind.astype(np.int8)
    np.savez(dest / "strokes.npz", **arrays)
    weights = {}
    for name, shape in SHAPES.items():
        w = rng.uniform(-1, 1, shape) * H**-0.5 if a.fixed else rng.standard_normal(shape)
        weights[name] = w.astype(np.float32)
    np.savez(dest / "start" / "gru48.npz", **weights)


if __name__ == "__main__":
    main()
