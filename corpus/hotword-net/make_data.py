"""Short spoken-word-like clips: two tones that glide and break off in eight ways."""
import argparse
from pathlib import Path

import numpy as np

N = 1000
# start and end of each half of the word, as places between low and high
WORDS = [((0, 1), (1, 0)), ((1, 0), (0, 1)), ((0, 0), (1, 1)), ((1, 1), (0, 0)), ((0, 1), (0, 1)), ((1, 0), (1, 0)), ((0.5, 1), (0, 0.5)), ((0.5, 0), (1, 0.5))]


def clip(word, rng):
    half = int(rng.integers(430, 570))
    track = np.concatenate([np.linspace(*WORDS[word][0], half), np.linspace(*WORDS[word][1], N - half)])
    pitch = (0.05 + rng.uniform(0, 0.02)) * 2 ** (track * rng.uniform(2.0, 2.6))
    wave = np.sin(2 * np.pi * np.cumsum(pitch) + rng.uniform(0, 6.3))
    loud = np.abs(np.sin(np.pi * np.arange(N) / half)) ** 0.5 * 0.8 + 0.2
    x = wave * loud + rng.uniform(0.5, 0.9) * rng.standard_normal(N)
    return np.clip(x * rng.uniform(3000, 9000), -32768, 32767).astype(np.int16)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    a = ap.parse_args()
    rng = np.random.default_rng(a.seed + 2)
    folder = Path(a.dest) / "audio"
    folder.mkdir(parents=True, exist_ok=True)
    for part, n in (("train", 1300), ("check", 400)):
        word = rng.integers(len(WORDS), size=n)
        np.savez(folder / f"{part}.npz", pcm=np.stack([clip(w, rng) for w in word]), word=word)


if __name__ == "__main__":
    main()
