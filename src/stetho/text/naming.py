"""What a number of a line is called: the words before it, whatever stands between."""

from __future__ import annotations

from dataclasses import dataclass

from stetho.text import settings, words
from stetho.text.lexer import Token, tokens

LEVELS = frozenset(b"info debug warning warn error critical notice trace train training".split())
ARTICLES = frozenset(b"the a an with and at of is was new has now to current in for - best".split())
COPULAS = frozenset(b"is was of reached equals".split())
ARROWS = frozenset(arrow.encode() for arrow in "→⇒≈")
WRAPPERS = frozenset(b"tensor array float Array np.float0 numpy.float0 np.array DeviceArray jnp.float0".split())


@dataclass(frozen=True)
class Named:
    """A number and the name before it, before it is decided what they are."""

    token: Token
    name: bytes
    start: int
    end: int
    separator: bytes
    """`:`, `=`, or nothing but a space."""
    glued: bool
    listed: bool
    """After a comma, a bar or a dash, or first in the line: where items of a list begin."""


class Naming:
    """One line, cut into tokens, and the names of its numbers."""

    def __init__(self, line: bytes, begin: int) -> None:
        self.line, self.begin = line, begin
        self.tokens = tokens(line, begin)
        self.settings = settings.span(line)

    def named(self, at: int) -> Named:
        """Look left from a number for its name."""
        token, back = self.tokens[at], at - 1
        separator, spaces, opened = b"", 0, 0
        while back >= 0:
            one = self.tokens[back]
            if one.kind == "space":
                spaces += 1
            elif one.text in (b"'", b'"', b"#") or one.text in (b"(", b"["):
                opened += one.text in (b"(", b"[")
            elif self._is_arrow(back) and not separator:
                separator, back = b"=", back - (self.tokens[back].text == b">")
                spaces += 1
            elif one.text in (b":", b"=") and not separator:
                separator = one.text
                if one.text == b"=" and back and self.tokens[back - 1].text in (b"=", b"<", b">", b"!"):
                    return self._nameless(token)
            elif one.kind == "word" and one.text in (WRAPPERS if opened and back + 1 < at else COPULAS):
                if one.text in COPULAS and (separator or not spaces):
                    break
            else:
                break
            back -= 1
        glued = bool(separator) and not spaces
        if (
            back < 0
            or (not separator and not spaces and not self._indexed(back, at))
            or (opened and not separator and self.tokens[at - 1].text == b"(")
        ):
            return self._nameless(token)
        return self._name_ending(token, back, separator, glued)

    def _is_arrow(self, at: int) -> bool:
        """Whether `->`, `=>`, or an arrow of one character ends here."""
        if self.tokens[at].text == b">":
            return at > 0 and self.tokens[at - 1].text in (b"-", b"=")
        return self.tokens[at].kind == "word" and self.tokens[at].text in ARROWS

    def _indexed(self, back: int, at: int) -> bool:
        """Whether it is `Epoch[3]`: a counter, and its number in brackets."""
        name = self.tokens[back].text.lower()
        return self.tokens[at - 1].text == b"[" and back == at - 2 and name in words.STEPS | words.EPOCHS

    def _nameless(self, token: Token) -> Named:
        return Named(token, b"", token.start, token.start, b"", False, False)

    def _name_ending(self, token: Token, back: int, separator: bytes, glued: bool) -> Named:
        """The words that end at a token, with a unit in brackets among them: `time per iteration (ms)`."""
        end = self.tokens[back].end
        if self.tokens[back].text in (b")", b"]"):
            opening = b"(" if self.tokens[back].text == b")" else b"["
            inner = back - 1
            while inner >= 0 and back - inner < 8 and self.tokens[inner].text != opening:
                inner -= 1
            content = self.tokens[inner + 1 : back]
            if inner < 0 or not content or any(t.kind not in ("word", "space") and t.text != b"/" for t in content):
                return self._nameless(token)
            back = inner - 1
            if back >= 0 and self.tokens[back].kind == "space":
                back -= 1
            if not separator:
                end = self.tokens[back].end if back >= 0 else end
        most = 1 if separator == b"=" and glued and self.tokens[back].text.lower() != b"cost" else 4
        taken: list[Token] = []
        while back >= 0 and len(taken) < most:
            one = self.tokens[back]
            if one.kind != "word" or one.text in (b"'", b'"'):
                break
            taken.append(one)
            back -= 1
            if back >= 1 and self.tokens[back].kind == "space" and self.tokens[back - 1].kind == "word":
                back -= 1
                continue
            break
        while taken and taken[-1].text.lower() in LEVELS | ARTICLES and len(taken) > 1:
            if taken[-1].text.lower() in (b"train", b"training", b"best", b"error"):
                break
            taken.pop()
        if not taken:
            return self._nameless(token)
        start = taken[-1].start
        before = back if back < 0 or self.tokens[back].kind != "space" else back - 1
        listed = before < 0 or self.tokens[before].text in (b",", b"|", b"-", b";", b":", b"]", b"{", b"(")
        return Named(token, self.line[start:end], start, end, separator, glued, listed)
