"""Lines of a recording, as the observer writes them while a run goes on."""

from __future__ import annotations

import json


def block(index: int, losses: list[float | str], **more: object) -> dict[str, object]:
    size = len(losses)
    losses_of = [[[7, value]] for value in losses]
    times = {"dt": [0.1] * size, "dw": [0.02] * size}
    return {"e": "steps", "o": 0, "i": index, "n": size, "loss": losses_of, "g": [1.5] * size, **times, **more}


def line(event: dict[str, object]) -> str:
    return json.dumps(event, separators=(",", ":")) + "\n"


SITE = {"e": "site", "id": 7, "frames": [["/home/me/train.py", 41, "main"]]}
