"""From JSON lines to arrays. What was encoded once is kept in data/cache."""
import hashlib
import json
import re
from pathlib import Path

import numpy as np

VERSION = 3


def read_jsonl(path):
    with open(path, encoding="utf-8") as fh:
        return [json.loads(line) for line in fh]


def tokenize(text):
    return re.findall(r"[a-z0-9]+", text.lower())


def fingerprint(*paths):
    digest = hashlib.sha256(str(VERSION).encode())
    for path in paths:
        digest.update(Path(path).read_bytes())
    return digest.hexdigest()[:16]


def encode(rows, vocab, topics):
    index = {w: i for i, w in enumerate(vocab)}
    column = {t: i for i, t in enumerate(topics)}
    tokens, starts = [], []
    labels = np.zeros((len(rows), len(topics)), dtype=np.float32)
    for i, row in enumerate(rows):
        starts.append(len(tokens))
        tokens += [index.get(w, 0) for w in tokenize(row["text"])]
        for topic in row["topics"]:
            labels[i, column[topic]] = 1.0
    starts.append(len(tokens))
    return np.array(tokens, dtype=np.int64), np.array(starts, dtype=np.int64), labels


def encoded(folder, name):
    """tokens, starts and labels of a quarter: from the cache when it was made of the same files, else encoded anew"""
    folder = Path(folder)
    source, vocab_file, topic_file = folder / f"{name}.jsonl", folder / "vocab.txt", folder / "topics.json"
    key = fingerprint(source, vocab_file, topic_file)
    cached = folder / "cache" / f"{name}.npz"
    if cached.exists():
        with np.load(cached) as f:
            if str(f["key"]) == key:
                return f["tokens"], f["starts"], f["labels"]
    vocab = vocab_file.read_text().splitlines()
    topics = json.loads(topic_file.read_text())
    tokens, starts, labels = encode(read_jsonl(source), vocab, topics)
    cached.parent.mkdir(exist_ok=True)
    np.savez(cached, key=np.array(key), tokens=tokens, starts=starts, labels=labels)
    return tokens, starts, labels
