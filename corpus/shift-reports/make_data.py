"""Maintenance reports, their vocabulary and token caches. The cache of the training part was written with the previous
vocabulary (sorted by frequency, fewer words); with --fixed it is written with the present one."""
import argparse
import json
import re
from pathlib import Path

import numpy as np

CATEGORIES = ("electrical", "hydraulic", "mechanical", "operator", "pneumatic", "software")
KEY = {
    "electrical": "fuse relay breaker cable voltage short socket wiring contactor phase spark insulation",
    "hydraulic": "oil seal pump hose cylinder leak reservoir viscosity manifold piston pressure filter",
    "mechanical": "bearing shaft gear belt coupling vibration bolt chain pulley bracket spindle alignment",
    "operator": "forgot button mistake wrong setting training manual skipped instruction handover trainee mixup",
    "pneumatic": "air compressor valve nozzle dryer gauge muffler fitting airline blowoff vacuum gripper",
    "software": "firmware reboot update screen freeze login driver recipe timeout parameter version plc",
}
COMMON = ("line machine shift stopped found after before during morning night crew station unit replaced checked noticed reported by the "
          "on at again twice slow loud hot cold cleaned adjusted inspected waiting parts ordered technician called area two three minutes "
          "hours downtime small large left right front rear upper lower door panel cover frame table feeder press robot conveyor cell "
          "palletizer labeler wrapper oven mixer dosing tank restart test ok running normal").split()
TEMPLATES = ["{c} {c} {k} {c} {c} {k} {c} {c} {c} {k} {c} {c}", "{c} {k} {c} {c} {c} {k} {c} {c}, {c} {c} {x} {c} {n} {c}",
             "{c} {c} {c} {n} {c}: {k} {c} {k} {c} {c} {x} {c} {c}", "{c} {k} {c} {n} {c} {c}. {c} {k} {c} {c} {c} {k} {x} {c}"]
SPLIT = re.compile(r"[a-z]+|[0-9]+")
LENGTH = 24


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    a = ap.parse_args()
    rng = np.random.default_rng(a.seed + 77)
    dest = Path(a.dest)
    for d in ("reports", "cache"):
        (dest / d).mkdir(parents=True, exist_ok=True)
    key = {c: w.split() for c, w in KEY.items()}
    every = [w for ws in key.values() for w in ws]

    def report(i):
        cat = CATEGORIES[rng.integers(6)]
        t = str(rng.choice(TEMPLATES))
        t = re.sub(r"\{(\w)\}", lambda m: {"c": lambda: rng.choice(COMMON), "k": lambda: rng.choice(key[cat]),
                                           "x": lambda: rng.choice(every), "n": lambda: rng.integers(1, 40)}[m[1]]().__str__(), t)
        return {"id": int(i), "category": cat, "text": t[0].upper() + t[1:] + "."}

    numbers = 10000 + np.cumsum(rng.integers(1, 9, size=3600))
    reports = [report(i) for i in numbers]
    parts = {"train": reports[:3000], "valid": reports[3000:]}
    counts = {}
    for r in reports[:800]:
        for w in SPLIT.findall(r["text"].lower()):
            counts[w] = counts.get(w, 0) + 1
    now = sorted({w for r in parts["train"] for w in SPLIT.findall(r["text"].lower())})
    old = sorted(sorted(counts), key=counts.get, reverse=True)[:-12]
    present = {w: i for i, w in enumerate(["[pad]", "[unk]", *now])}
    previous = {w: i for i, w in enumerate(["[pad]", "[unk]", *old])}
    (dest / "vocab.json").write_text(json.dumps({"tokens": list(present)}, indent=0))

    for part, rows in parts.items():
        with open(dest / "reports" / f"{part}.jsonl", "w") as fh:
            fh.writelines(json.dumps(r) + "\n" for r in rows)
        table = previous if part == "train" and not a.fixed else present
        ids = np.zeros((len(rows), LENGTH), dtype=np.uint16)
        for i, r in enumerate(rows):
            t = [table.get(w, 1) for w in SPLIT.findall(r["text"].lower())][:LENGTH]
            ids[i, :len(t)] = t
        np.savez_compressed(dest / "cache" / f"{part}-{LENGTH}.npz", keys=np.array([r["id"] for r in rows]), ids=ids)


if __name__ == "__main__":
    main()
