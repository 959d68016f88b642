"""Scanned invoices as tagged word sequences: python make_data.py DEST [--seed N]"""
import argparse
import json
from pathlib import Path

import numpy as np

TAGS = ["O", "VENDOR", "NUMBER", "DATE", "DUE", "TOTAL", "IBAN"]
STEMS = "Nord Alpen Berg Rhein Stadt Linden Hafen Kern Sonnen Wald Feld Mai Brunn Eich".split()
TRADES = "Druck Werkzeug Reinigung Logistik Elektro Bau Papier Metall Software Garten".split()
FORMS = ["GmbH", "AG", "KG", "OHG", "Ltd", "e.K."]
WORDS = "thank you for your order please pay within the agreed period goods remain our property until paid " \
        "in full contact customer service delivery was made to address below".split()
ITEMS = "screws paper toner cable gloves lamp battery paint filter bracket hose valve".split()


def amount(rng):
    return f"{rng.integers(1, 9999)}.{rng.integers(0, 100):02d}"


def date(rng):
    return f"{rng.integers(1, 29):02d}.{rng.integers(1, 13):02d}.{rng.integers(2018, 2025)}"


def filler(rng, low=2, high=7):
    begin = rng.integers(0, len(WORDS) - high)
    return [(w, "O") for w in WORDS[begin:begin + rng.integers(low, high)]]


def pick(rng, options):
    return options[rng.integers(len(options))]


def invoice(rng):
    vendor = [(pick(rng, STEMS), "VENDOR"), (pick(rng, TRADES), "VENDOR"), (pick(rng, FORMS), "VENDOR")]
    customer = [("To", "O"), (pick(rng, STEMS), "O"), (pick(rng, TRADES), "O"), (pick(rng, FORMS), "O")]
    head = vendor + customer if rng.random() < 0.5 else customer + filler(rng) + [("From", "O")] + vendor
    number = f"{pick(rng, ['RE', 'INV', 'F'])}-{rng.integers(1000, 99999)}"
    reference = f"{pick(rng, ['RE', 'INV', 'F'])}-{rng.integers(1000, 99999)}"
    meta = [
        [(pick(rng, ["Invoice", "Rechnung", "Bill"]), "O"), (pick(rng, ["No.", "#", "Nr."]), "O"), (number, "NUMBER")],
        [(pick(rng, ["Date", "Issued", "Dated"]), "O"), (":", "O"), (date(rng), "DATE")],
        [(pick(rng, ["Due", "Payable"]), "O"), (pick(rng, ["by", "until"]), "O"), (date(rng), "DUE")],
    ]
    if rng.random() < 0.6:
        meta.append([("Ref", "O"), (pick(rng, ["No.", ":"]), "O"), (reference, "O")])
    if rng.random() < 0.6:
        meta.append([("Delivered", "O"), ("on", "O"), (date(rng), "O")])
    rng.shuffle(meta)
    lines = []
    for _ in range(rng.integers(1, 5)):
        lines += [(str(rng.integers(1, 20)), "O"), ("x", "O"), (pick(rng, ITEMS), "O"), (amount(rng), "O")]
    total = [("Net", "O"), (amount(rng), "O"), ("VAT", "O"), (amount(rng), "O")]
    total += [(pick(rng, ["Total", "Sum", "Amount"]), "O")]
    if rng.random() < 0.5:
        total += [("EUR", "O")]
    total += [(amount(rng), "TOTAL")]
    bank = [("IBAN", "O")] if rng.random() < 0.8 else []
    bank += [(f"{pick(rng, ['DE', 'AT', 'CH'])}{rng.integers(10, 99)}", "IBAN")]
    bank += [(f"{rng.integers(0, 10000):04d}", "IBAN") for _ in range(rng.integers(3, 5))]
    words = head + [w for part in meta for w in part] + lines + total + filler(rng) + bank + filler(rng)
    return {"words": [w for w, _ in words], "tags": [t for _, t in words]}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=3)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng(args.seed)
    data = args.dest / "data"
    data.mkdir(parents=True, exist_ok=True)
    (data / "tags.txt").write_text("\n".join(TAGS) + "\n")
    from fields.text import shape

    counts = {}
    for shard in range(4):
        with open(data / f"train-{shard:02d}.jsonl", "w") as fh:
            for i in range(300):
                doc = {"id": f"t{shard}{i:04d}", **invoice(rng)}
                fh.write(json.dumps(doc) + "\n")
                for w in doc["words"]:
                    counts[shape(w)] = counts.get(shape(w), 0) + 1
    with open(data / "val.jsonl", "w") as fh:
        for i in range(250):
            fh.write(json.dumps({"id": f"v{i:04d}", **invoice(rng)}) + "\n")
    kept = sorted(w for w, n in counts.items() if n >= 2)
    (data / "vocab.txt").write_text("\n".join(["<pad>", "<unk>", *kept]) + "\n")


if __name__ == "__main__":
    main()
