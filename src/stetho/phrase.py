"""What a phrase is: words by which a log says something that matters, whoever wrote it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

Ending: TypeAlias = Literal["", "done", "error", "SIGKILL", "SIGTERM", "SIGSEGV", "SIGABRT", "SIGBUS", "SIGINT"]


@dataclass(frozen=True)
class Phrase:
    """A declared phrase. The module's docstring is its story.

    `words` are lower-case pieces of text, one of which is in every line that says it: they are looked for first, as
    that costs little. One of `patterns` then decides, on the line with every number written as 0 and every gap as one
    space: what a line says must not hang on a digit, as lines that differ only in digits are judged once. `ended`
    tells how a program ends that says it last. `farewell` marks what is said after a program has ended.
    """

    id: str
    says: str
    words: tuple[str, ...]
    patterns: tuple[str, ...]
    fires: tuple[str, ...]
    quiet: tuple[str, ...]
    ended: Ending = ""
    farewell: bool = False
    each: bool = False
    """Whether every line that says it counts, and not only the first and the last: ranks speak one by one."""
    doc: str = field(default="", compare=False)

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{pattern})" for pattern in self.patterns))

    @cached_property
    def encoded(self) -> tuple[bytes, ...]:
        return tuple(word.encode() for word in self.words)

    def said_in(self, line: str) -> bool:
        """Whether an evened line says it."""
        return self.compiled.search(line) is not None
