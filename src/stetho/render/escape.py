"""Text from programs written into Markdown so that it stays text: no emphasis, link, heading or HTML."""

from __future__ import annotations

import re

from stetho.render.inert import inert, on_one_line

# An underscore inside a word is no emphasis in CommonMark, so that names such as cross_entropy stay readable.
_SPECIAL = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
_OPENING = re.compile(r"^(?:([#>+=-])|(\d{1,9})([.)]))")
# GitHub makes links of bare addresses and mail of anything with an @.
_ADDRESS = re.compile(r"(?i)(?<=[a-z])(:)(?=//)|(?<=www)(\.)|(@)")
_ENTITIES = {"&": "&amp;", "<": "&lt;"}


def plain(text: str) -> str:
    """The text on one line, with everything that Markdown or HTML would interpret escaped."""
    text = _SPECIAL.sub(r"\\\g<0>", on_one_line(text))
    text = _ADDRESS.sub(r"\\\g<0>", text)
    text = _OPENING.sub(_opened, text)
    return re.sub(r"[&<]", lambda match: _ENTITIES[match.group()], text)


def code(text: str) -> str:
    """The text on one line as inline code, inside more backticks than it has itself."""
    text = on_one_line(text)
    if not text:
        return ""
    ticks = "`" * (_longest_run(text) + 1)
    gap = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{gap}{text}{gap}{ticks}"


def fence(text: str, language: str = "") -> str:
    """The text as a code block, inside a fence longer than any that it has itself."""
    text = inert(text).strip("\n")
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def _opened(match: re.Match[str]) -> str:
    sign, digits, mark = match.groups()
    return f"\\{sign}" if sign else f"{digits}\\{mark}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
