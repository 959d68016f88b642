"""Where a line prints settings and no measures: `Namespace(lr=0.001, …)`, `parameters: {'lr': 0.01}`."""

from __future__ import annotations

import re

_OPENING = re.compile(
    rb"(?:^|[^A-Za-z0-9_])(?:[A-Z][A-Za-z_]*(?:Namespace|Config|Arguments|Args|Params|Settings|Options)|Namespace|Config"
    rb"|(?i:hyperparameters|hyperparams|hparams|parameters|params|config|configuration|args|arguments|settings|options))"
    rb"['\"]?(?:[ :=]{0,3})(?:with )?[({\[]"
    rb"|(?:^|[ :=])(?:Adam|AdamW|SGD|RMSprop|Adagrad|Lion|Adafactor|[A-Z][A-Za-z]*LR) ?\((?=[a-z_]+=)"
)
_CLOSING = {b"(": b")", b"{": b"}", b"[": b"]"}


def span(line: bytes) -> tuple[int, int] | None:
    """From where to where an evened line prints settings; to its end where they are not closed in it."""
    found = _OPENING.search(line) if b"=" in line or b":" in line else None
    if found is None:
        return None
    opening = line[found.end() - 1 : found.end()]
    closing, depth = _CLOSING[opening], 0
    for at in range(found.end() - 1, len(line)):
        depth += (line[at : at + 1] == opening) - (line[at : at + 1] == closing)
        if not depth:
            return found.end(), at
    return found.end(), len(line)
