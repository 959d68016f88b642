"""Complaints of train passengers and an encoder trained on older letters: python make_data.py DEST [--seed N]"""
import argparse
import json
from pathlib import Path

import numpy as np
import torch

WORDS = 160
TOPICS = 8
GROUPS = {"operations": [0, 1], "staff": [2, 3], "money": [4, 5], "comfort": [6, 7]}


def letters(n, rng, mixture):
    """Every word leans to one of eight themes; a letter has one main theme and much that could be in any letter."""
    theme = rng.integers(0, TOPICS, n)
    rows = []
    for k in theme:
        length = rng.integers(8, 18)
        own = rng.random(length) < mixture
        words = np.where(own, rng.integers(0, WORDS // TOPICS, length) * TOPICS + k, rng.integers(0, WORDS, length))
        rows.append((words + 3).tolist())
    return rows, theme


def tensor_batch(rows):
    longest = max(len(r) for r in rows) + 1
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    for i, r in enumerate(rows):
        ids[i, :len(r) + 1] = torch.tensor([1, *r])
    return ids, (ids != 0).long()


def pretrain(dest, rng, seed):
    from transformers import BertConfig, BertModel

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    config = BertConfig(
        vocab_size=WORDS + 3, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=24, hidden_dropout_prob=0.05, attention_probs_dropout_prob=0.05, initializer_range=0.06,
    )
    encoder = BertModel(config)
    head = torch.nn.Linear(32, TOPICS)
    rows, theme = letters(5000, rng, 0.5)
    opt = torch.optim.AdamW([*encoder.parameters(), *head.parameters()], lr=3e-3)
    for step in range(320):
        pick = rng.integers(0, len(rows), 48)
        ids, mask = tensor_batch([rows[i] for i in pick])
        pooled = encoder(input_ids=ids, attention_mask=mask).pooler_output
        loss = torch.nn.functional.cross_entropy(head(pooled), torch.tensor(theme[pick]))
        opt.zero_grad()
        loss.backward()
        opt.step()
    encoder.save_pretrained(dest)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=4)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng(args.seed)
    pretrain(args.dest / "base", rng, args.seed)
    data = args.dest / "data"
    data.mkdir(parents=True, exist_ok=True)
    names = list(GROUPS)
    desk_of = {k: g for g, ks in GROUPS.items() for k in ks}
    words = ["[PAD]", "[CLS]", "[UNK]"] + [f"w{i:03d}" for i in range(WORDS)]
    (data / "vocab.txt").write_text("\n".join(words) + "\n")
    (data / "desks.json").write_text(json.dumps(names) + "\n")
    for name, n in [("train-0", 400), ("train-1", 400), ("train-2", 400), ("dev", 400)]:
        rows, theme = letters(n, rng, 0.5)
        with open(data / f"{name}.jsonl", "w") as fh:
            for row, k in zip(rows, theme):
                fh.write(json.dumps({"text": " ".join(words[w] for w in row), "desk": desk_of[int(k)]}) + "\n")


if __name__ == "__main__":
    main()
