"""Reports as token matrices. Tokenizing is the slow part on the full archive, so the matrices are kept on disk."""
import json
from pathlib import Path

import numpy as np

CATEGORIES = ("electrical", "hydraulic", "mechanical", "operator", "pneumatic", "software")


def read_reports(path):
    with open(path) as fh:
        return [json.loads(line) for line in fh]


def token_matrix(part, reports_dir, cache_dir, tokenizer, length):
    reports = read_reports(Path(reports_dir) / f"{part}.jsonl")
    y = np.array([CATEGORIES.index(r["category"]) for r in reports])
    keys = np.array([r["id"] for r in reports])
    cached = Path(cache_dir) / f"{part}-{length}.npz"
    if cached.exists():
        with np.load(cached) as z:
            if np.array_equal(z["keys"], keys):
                print(f"{part}: {len(keys)} reports, tokens from {cached}")
                return z["ids"].astype(np.int64), y
    ids = np.array([tokenizer(r["text"], length) for r in reports])
    cached.parent.mkdir(exist_ok=True)
    np.savez_compressed(cached, keys=keys, ids=ids.astype(np.uint16))
    print(f"{part}: {len(keys)} reports tokenized")
    return ids, y
