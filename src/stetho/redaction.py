"""Secrets taken out of text: keys, tokens, passwords, and addresses that carry credentials.

What is shown or handed on comes from command lines, environments and logs. Words that training logs are full of, such
as `max_tokens=512` or `pad_token: <pad>`, stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

MARK = "[redacted]"

# Anything of these shapes is a secret wherever it stands.
_SHAPES = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-[A-Za-z0-9_-]{16,200}"  # OpenAI, Anthropic and those who follow them
    r"|hf_[A-Za-z0-9]{16,100}"
    r"|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}"
    r"|gl(?:pat|rt|cbt)-[A-Za-z0-9_-]{16,100}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,200}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}"
    r"|AIza[A-Za-z0-9_-]{30,60}|ya29\.[A-Za-z0-9_-]{20,500}"
    r"|npm_[A-Za-z0-9]{30,60}|pypi-[A-Za-z0-9_-]{40,300}|nvapi-[A-Za-z0-9_-]{20,120}"
    r"|dapi[a-f0-9]{32}|SG\.[A-Za-z0-9_-]{16,40}\.[A-Za-z0-9_-]{16,80}"
    r"|wandb_v1_[A-Za-z0-9_-]{20,200}|r8_[A-Za-z0-9]{30,60}|gsk_[A-Za-z0-9]{20,100}"
    r"|[sr]k_(?:live|test)_[A-Za-z0-9]{16,200}|GOCSPX-[A-Za-z0-9_-]{16,60}|whsec_[A-Za-z0-9+/=]{16,100}"
    r"|AGE-SECRET-KEY-[A-Z0-9]{40,80}"
    r"|eyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,2000}"
    r")"
)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.{0,8000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)", re.DOTALL
)
_ADDRESS = re.compile(r"(?<=://)[^/\s@'\"<>]{1,300}@(?=[\w\[])")
# Addresses that whoever knows them can post to.
_HOOK = re.compile(
    r"(?i)((?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks"
    r"|[\w.-]{1,60}\.webhook\.office\.com/webhookb2|api\.telegram\.org)/)[^\s'\"<>)\]]{8,400}"
)
_NETRC = re.compile(
    r"(?i)(\b(?:machine|default)\s{1,9}\S{1,200}\s{1,9}(?:login\s{1,9}\S{1,200}\s{1,9})?password\s{1,9})(\S{1,400})"
)
# "--api-key abc" as a shell, a list of words or a log has it.
_FLAG = re.compile(
    r"(?<![\w-])(?P<option>--?[A-Za-z][\w.-]{1,60})(?P<gap>['\"]?,?\s{1,3}['\"]?)(?P<value>[^\s'\",;\]\[-][^\s'\",\]]{3,4000})"
)
# {"name": "DB_PASSWORD", "value": "…"}, as containers are told their environment.
_PAIR = re.compile(
    r"(?i)(?P<begin>\bname[\"']?\s{0,3}[:=]\s{0,3}[\"']?)(?P<name>[\w.-]{2,80})(?P<middle>[\"']?,?\s{1,40}[\"']?value[\"']?\s{0,3}[:=]"
    r"\s{0,3})(?P<value>\"[^\"\n]{1,4000}\"|'[^'\n]{1,4000}'|[^\s\"',}\]]{1,4000})"
)
# What registries call it: {"auth": "…"}, {"identitytoken": "…"}.
_REGISTRY = re.compile(r"(?i)([\"'](?:auth|identitytoken)[\"']\s{0,3}:\s{0,3}[\"'])([A-Za-z0-9+/=_.-]{12,4000})")
_BEARER = re.compile(r"(?i)\b(bearer|basic|token)(\s{1,3})([A-Za-z0-9+/_.~=-]{16,4000})")
_LOGIN = re.compile(r"(?i)(\bwandb login(?: --[\w-]+){0,3} )([a-f0-9]{32,90})\b")
_NAMED = re.compile(
    r"(?i)(?P<name>passw(?:or)?d|passwd|passphrase|pwd|secret|token|api[_-]?key|apikey"
    r"|(?:access|private|account|secret|signing|encryption|license|auth|session|storage|wandb|openai"
    r"|anthropic|gemini|hf|huggingface|comet|neptune|clearml|kaggle|mlflow|aws|azure|gcp|s3|ssh|github|gitlab)[_-]?key"
    r"|credentials?|authorization|cookie|signature|\bsig\b)"
    r"(?P<tail>[\w-]{0,24})"
    r"(?P<between>\\?[\"']?\s{0,3}(?:=>|:=|[=:])\s{0,3})"
    r"(?P<value>\[redacted\]|\"[^\"\n]{0,2000}\"|'[^'\n]{0,2000}'|[^\s\"',;&)\]}]{1,4000})"
)
# Words of language models that hold "token": they are read in every training log.
_TEXT_TOKEN = re.compile(
    r"(?i)(?:pad|eos|bos|unk|cls|sep|mask|special|per|next|first|last|stop|image|start|end|num|max|min|each|new|prompt"
    r"|seen|total|lang|language|target|source|decoder|forced|video|audio|boi|eoi|every|of|the|this|a)[_\-. ]?$"
)
_OF_TEXT = re.compile(r"(?i)^(?:s|iz|_?id|_?type|_?count|_?len|_?ind|_?emb|_?drop|_?loss|_?acc|_?str|_?level|_?class)")
_HARMLESS = re.compile(
    r"(?i)^[\"']?(?:none|null|true|false|yes|no|required|optional|missing|not|bearer|basic|digest|token|\[redacted\]|\*+|<[^>]*>|)[\"']?$"
)
_NUMBER = re.compile(r"^[\"']?[+-]?[0-9.,]+(?:e[+-]?[0-9]+)?[a-z%]{0,3}[\"']?$", re.IGNORECASE)
_HOME = re.compile(r"(?<![\w.])(/(?:home|Users)/)[^/\s:'\"]{1,64}")
_OPTION = re.compile(r"^--?[\w.-]{1,60}$")


def redact(text: str, *, homes: bool = False) -> str:
    """The text without its secrets; with `homes`, without the names of users in paths either."""
    lowered = text.lower()
    for pattern, replacement, signs in _RULES:
        # Looking for a few letters is a hundred times faster than a pattern, and most lines have none of them.
        if any(sign in lowered for sign in signs):
            text = pattern.sub(replacement, text)
    return _HOME.sub(r"\1[user]", text) if homes else text


def redact_words(words: Iterable[str], *, homes: bool = False) -> tuple[str, ...]:
    """A command line without its secrets: the value that follows an option is known by the option's name."""
    kept: list[str] = []
    before = ""
    for word in words:
        if _OPTION.match(before) and not word.startswith("--") and _gives_secret(before, word):
            kept.append(MARK)
        else:
            kept.append(redact(word, homes=homes))
        before = word
    return tuple(kept)


def secret_name(name: str) -> bool:
    """Whether a variable of that name holds something that nobody else should see."""
    return _named_secret(f"{name}=x-opaque-value") != f"{name}=x-opaque-value"


def _gives_secret(option: str, value: str) -> bool:
    if option in ("-u", "--user", "--proxy-user") and ":" in value:
        return True
    bare = f"{option.lstrip('-')}={value}"
    return _named_secret(bare) != bare


def _named_secret(text: str) -> str:
    return _NAMED.sub(_named, text)


def _named(match: re.Match[str]) -> str:
    name, tail, between, value = match["name"].lower(), match["tail"], match["between"], match["value"]
    if _HARMLESS.match(value) or not _is_secret(match, name, tail, value):
        return match[0]
    quote = value[0] if value[0] in "\"'" and value[-1] == value[0] and len(value) > 1 else ""
    return f"{match['name']}{tail}{between}{quote}{MARK}{quote}"


def _is_secret(match: re.Match[str], name: str, tail: str, value: str) -> bool:
    if name == "token":
        before = match.string[max(0, match.start() - 24) : match.start()]
        if _OF_TEXT.match(tail) or _TEXT_TOKEN.search(before):
            return False
        return len(value.strip("\"'")) >= 8 and not _NUMBER.match(value)
    if name.startswith("pass") or name == "pwd":
        # PWD and OLDPWD are directories.
        bare = match["name"] == "PWD" and re.search(r"(?:^|[^\w-])(?:OLD)?$", match.string[: match.start()][-8:])
        return not bare and not tail.lower().startswith("es")
    if name in ("sig", "signature", "cookie", "secret", "credential", "credentials", "authorization"):
        return len(value.strip("\"'")) >= 6 and not (name == "signature" and _NUMBER.match(value))
    return len(value.strip("\"'")) >= 4


def _bearer(match: re.Match[str]) -> str:
    word, gap, value = match.groups()
    # "basic understanding" and "token classification" are words; credentials have digits or other signs in them.
    opaque = re.search(r"[0-9]", value) and re.search(r"[A-Za-z]", value)
    return f"{word}{gap}{MARK}" if opaque else match[0]


def _flag(match: re.Match[str]) -> str:
    hidden = _gives_secret(match["option"], match["value"])
    return f"{match['option']}{match['gap']}{MARK}" if hidden else match[0]


def _pair(match: re.Match[str]) -> str:
    value = match["value"]
    if not secret_name(match["name"]) or _HARMLESS.match(value):
        return match[0]
    quote = value[0] if value[0] in "\"'" else ""
    return f"{match['begin']}{match['name']}{match['middle']}{quote}{MARK}{quote}"


_Replacement: TypeAlias = "str | Callable[[re.Match[str]], str]"
# In this order; with each, letters of which one is in every text that it can match.
_RULES: tuple[tuple[re.Pattern[str], _Replacement, tuple[str, ...]], ...] = (
    (_PRIVATE_KEY, MARK, ("private key",)),
    (_ADDRESS, f"{MARK}@", ("://",)),
    (_SHAPES, MARK, (
        "sk-", "hf_", "gh", "github_pat_", "gl", "xox", "akia", "asia", "aiza", "ya29", "npm_", "pypi-", "nvapi-",
        "dapi", "sg.", "wandb_v1_", "r8_", "gsk_", "eyj", "k_live_", "k_test_", "gocspx-", "whsec_", "age-secret",
    )),
    (_HOOK, rf"\1{MARK}", ("hook", "api.telegram.org")),
    (_NETRC, rf"\1{MARK}", ("password",)),
    (_REGISTRY, rf"\1{MARK}", ("auth", "identitytoken")),
    (_PAIR, _pair, ("value",)),
    (_FLAG, _flag, ("-pass", "_pass", "pwd", "secret", "token", "key", "credential", "-u ", "user")),
    (_LOGIN, rf"\1{MARK}", ("wandb login",)),
    (_BEARER, _bearer, ("bearer", "basic", "token")),
    (_NAMED, _named, ("pass", "pwd", "secret", "token", "key", "credential", "authorization", "cookie", "sig")),
)  # fmt: skip
