import http.client
import os

import torch
from torch.utils.data import Dataset


class SheetArchive:
    """Scans by number, from the archive's gateway (SHEETS=host:port)."""

    def __init__(self):
        self.connection = http.client.HTTPConnection(os.environ["SHEETS"], timeout=30)

    def fetch(self, sheet):
        self.connection.request("GET", f"/{sheet}.pgm")
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise FileNotFoundError(f"{sheet}: gateway says {answer.status}")
        return body


class Sheets(Dataset):
    def __init__(self, archive, rows):
        self.archive = archive
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, n):
        sheet, margin = self.rows[n]
        magic, size, depth, pixels = self.archive.fetch(sheet).split(b"\n", 3)
        width, height = map(int, size.split())
        img = torch.frombuffer(bytearray(pixels), dtype=torch.uint8).view(1, height, width).float()
        return (img - 190.0) / 55.0, margin


def read_labels(path="labels.tsv"):
    with open(path) as f:
        next(f)
        return [(sheet, int(margin)) for sheet, margin in (line.split() for line in f)]
