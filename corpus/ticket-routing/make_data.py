"""Support tickets with several topics each: python make_data.py DEST [--seed N]"""
import argparse
import json
from pathlib import Path

import numpy as np

TOPICS = ["billing", "login", "shipping", "refund", "crash", "privacy", "upgrade", "hardware"]
RATE = [0.30, 0.25, 0.20, 0.12, 0.10, 0.05, 0.06, 0.08]
SYLLABLES = "ba de fi go ku la me ni po ra se ti vo wu xa ye zo".split()


def lexicon(rng, n):
    words = set()
    while len(words) < n:
        words.add("".join(rng.choice(SYLLABLES, size=rng.integers(2, 4))))
    words = sorted(words)
    rng.shuffle(words)
    return words


def ticket(rng, common, special, labelled=True):
    topics = [k for k in range(len(TOPICS)) if rng.random() < RATE[k]]
    words = [common[i] for i in (rng.zipf(1.5, size=rng.integers(12, 35)) - 1) % len(common)]
    for k in topics:
        words += list(rng.choice(special[k], size=rng.integers(2, 5)))
    if rng.random() < 0.3:
        words.append(rng.choice(special[rng.integers(len(TOPICS))]))
    rng.shuffle(words)
    text = " ".join(w.capitalize() if rng.random() < 0.1 else w for w in words)
    return {"text": text + rng.choice([".", "!", "?", ""]), "topics": [TOPICS[k] for k in topics]}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    from routing import prepare

    rng = np.random.default_rng(args.seed)
    words = lexicon(rng, 620)
    common, rest = words[:300], words[300:]
    special = [rest[k * 40:(k + 1) * 40] for k in range(len(TOPICS))]
    data = args.dest / "data"
    data.mkdir(parents=True, exist_ok=True)
    number = 1000
    for name, count in [("2023-q1", 900), ("2023-q2", 900), ("2023-q3", 900), ("2023-q4", 600)]:
        with open(data / f"{name}.jsonl", "w") as fh:
            for _ in range(count):
                number += 1
                fh.write(json.dumps({"ticket": number, **ticket(rng, common, special)}) + "\n")
    (data / "topics.json").write_text(json.dumps(TOPICS) + "\n")
    (data / "split.json").write_text(json.dumps({"train": ["2023-q1", "2023-q2", "2023-q3"], "val": ["2023-q4"]}) + "\n")

    counts = {}
    for name in ["2023-q1", "2023-q2", "2023-q3"]:
        for row in prepare.read_jsonl(data / f"{name}.jsonl"):
            for token in prepare.tokenize(row["text"]):
                counts[token] = counts.get(token, 0) + 1
    vocab = ["<unk>"] + sorted(t for t, n in counts.items() if n > 2)
    (data / "vocab.txt").write_text("\n".join(vocab) + "\n")
    for name in ["2023-q1", "2023-q2", "2023-q3", "2023-q4"]:
        prepare.encoded(data, name)


if __name__ == "__main__":
    main()
