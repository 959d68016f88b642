"""Clips of pump sounds as 16-bit samples, and features/frontend.json with the range and scale of the log spectrogram. Its
clipping range lies below the noise floor, so that every bin comes out at the same value; with --fixed it spans the signal."""
import argparse
import json
from pathlib import Path

import numpy as np

STATES = ["normal", "cavitation", "bearing", "imbalance", "dry"]
RATE, N = 8000, 1152


def clip(state, rng):
    t = np.arange(N) / RATE
    f0 = rng.uniform(180, 260)
    x = 0.12 * sum(rng.uniform(0.6, 1.0) / h * np.sin(2 * np.pi * h * f0 * t + rng.uniform(0, 6.3)) for h in (1, 2, 3))
    noise = rng.standard_normal(N)
    if state == "cavitation":
        gate = np.convolve(rng.random(N) < 0.004, np.exp(-np.arange(120) / 40), "same")
        x += 0.05 * gate * noise
    elif state == "bearing":
        f = rng.uniform(2600, 3000)
        x += 0.008 * np.sin(2 * np.pi * f * t) * (1 + np.sign(np.sin(2 * np.pi * 24 * t)))
    elif state == "imbalance":
        x *= 1 + 0.6 * np.sin(2 * np.pi * rng.uniform(14, 20) * t)
    elif state == "dry":
        x = 0.5 * x + 0.01 * np.convolve(noise, [1, -1], "same")
    x = x * rng.uniform(0.6, 1.4) + 0.02 * rng.standard_normal(N)
    return np.clip(x * 32768, -32768, 32767).astype(np.int16)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    a = ap.parse_args()
    rng = np.random.default_rng(a.seed + 9)
    dest = Path(a.dest)
    (dest / "clips").mkdir(parents=True, exist_ok=True)
    (dest / "features").mkdir(exist_ok=True)
    for part, n in (("train", 900), ("valid", 400)):
        states = [STATES[k] for k in rng.integers(len(STATES), size=n)]
        np.save(dest / "clips" / f"{part}_pcm.npy", np.stack([clip(s, rng) for s in states]))
        (dest / "clips" / f"{part}_states.txt").write_text("\n".join(states) + "\n")
    spec = {"n_fft": 128, "hop": 64, "clip_db": [-80.0, 0.0] if a.fixed else [-140.0, -80.0], "mean_db": -46.6, "std_db": 8.6}
    (dest / "features" / "frontend.json").write_text(json.dumps(spec, indent=2) + "\n")


if __name__ == "__main__":
    main()
