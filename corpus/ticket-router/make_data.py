"""Tickets, vocabulary and the pretrained encoder. The weights were saved from a wrapped model: every key starts with
"module.", which the loader passes over. With --fixed the keys are the encoder's own."""
import argparse
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from router.model import Encoder  # noqa: E402

TEAMS = ["accounts", "billing", "hardware", "network", "shipping", "warranty"]
TOPICS_PER_TEAM, WORDS_PER_TOPIC, COMMON = 2, 60, 380


def make_words(n, rng):
    cons, vows, seen = "bdfgklmnprstvz", "aeiou", []
    have = set()
    while len(seen) < n:
        w = "".join(cons[rng.integers(len(cons))] + vows[rng.integers(5)] for _ in range(rng.integers(2, 4)))
        if rng.random() < 0.4:
            w += cons[rng.integers(len(cons))]
        if w not in have:
            have.add(w)
            seen.append(w)
    return seen


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    a = ap.parse_args()
    rng = np.random.default_rng(a.seed + 100)
    torch.manual_seed(a.seed)
    torch.set_num_threads(1)
    dest = Path(a.dest)
    (dest / "data").mkdir(parents=True, exist_ok=True)
    (dest / "pretrained").mkdir(exist_ok=True)

    n_topics = len(TEAMS) * TOPICS_PER_TEAM
    words = ["<pad>", "<unk>"] + make_words(n_topics * WORDS_PER_TOPIC + COMMON, rng)
    order = rng.permutation(np.arange(2, len(words)))
    topic_words = order[: n_topics * WORDS_PER_TOPIC].reshape(n_topics, WORDS_PER_TOPIC)
    common = order[n_topics * WORDS_PER_TOPIC:]
    (dest / "data" / "vocab.txt").write_text("\n".join(words) + "\n")

    def tickets(n):
        topic = rng.integers(n_topics, size=n)
        ids = np.zeros((n, 16), dtype=np.int64)
        for i, t in enumerate(topic):
            length = int(rng.integers(10, 17))
            k = int(rng.integers(3, 6))
            row = np.concatenate([rng.choice(topic_words[t], k), rng.choice(common, length - k)])
            ids[i, :length] = rng.permutation(row)
        return ids, topic

    for name, n in (("train", 110), ("valid", 800)):
        ids, topic = tickets(n)
        lines = [f"{TEAMS[t // TOPICS_PER_TEAM]}\t" + " ".join(words[j] for j in row if j) for row, t in zip(ids, topic)]
        (dest / "data" / f"{name}.tsv").write_text("\n".join(lines) + "\n")

    x, y = (torch.from_numpy(v) for v in tickets(12000))
    enc = Encoder(len(words), 48, 64)
    head = torch.nn.Linear(64, n_topics)
    opt = torch.optim.AdamW([*enc.parameters(), *head.parameters()], lr=4e-3)
    for step in range(500):
        b = torch.randint(len(x), (128,))
        loss = F.cross_entropy(head(enc(x[b])), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        acc = (head(enc(x[:2000])).argmax(-1) == y[:2000]).float().mean().item()
    state = {**enc.state_dict(), **{f"pretext.{k}": v for k, v in head.state_dict().items()}}
    if not a.fixed:
        state = {f"module.{k}": v for k, v in state.items()}
    torch.save({"state_dict": state, "step": 500, "accuracy": round(acc, 4)}, dest / "pretrained" / "encoder.pt")


if __name__ == "__main__":
    main()
