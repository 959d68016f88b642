"""Which releases of torch and its companions fit together, from their own metadata and the published tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from stetho.facts.packages import Misfit

# Releases of torchvision for those of torch, as pytorch.org lists them; later wheels name theirs in their metadata.
VISION: Mapping[tuple[int, ...], tuple[int, ...]] = {
    (1, 7): (0, 8), (1, 8): (0, 9), (1, 9): (0, 10), (1, 10): (0, 11), (1, 11): (0, 12), (1, 12): (0, 13),
    (1, 13): (0, 14),
    (2, 0): (0, 15), (2, 1): (0, 16), (2, 2): (0, 17), (2, 3): (0, 18), (2, 4): (0, 19), (2, 5): (0, 20),
    (2, 6): (0, 21), (2, 7): (0, 22), (2, 8): (0, 23), (2, 9): (0, 24),
}  # fmt: skip
AUDIO: Mapping[tuple[int, ...], tuple[int, ...]] = {
    (1, 7): (0, 7), (1, 8): (0, 8), (1, 9): (0, 9), (1, 10): (0, 10), (1, 11): (0, 11), (1, 12): (0, 12),
    (1, 13): (0, 13),
    (2, 0): (2, 0), (2, 1): (2, 1), (2, 2): (2, 2), (2, 3): (2, 3), (2, 4): (2, 4), (2, 5): (2, 5), (2, 6): (2, 6),
    (2, 7): (2, 7), (2, 8): (2, 8),
}  # fmt: skip
COMPANIONS = {"torchvision": VISION, "torchaudio": AUDIO}
_REQUIRES = re.compile(r"^([A-Za-z0-9][\w.-]{0,80})\s*(?:\[[^\]]{0,200}\])?\s*\(?([^;)]{0,200})\)?\s*(?:;(.*))?$")
_BOUND = re.compile(r"(==|!=|>=|<=|~=|<|>)\s*([0-9][\w.+!*-]{0,60})")


@dataclass(frozen=True)
class Installed:
    """A distribution as its dist-info describes it."""

    name: str
    version: str
    requires: tuple[str, ...] = ()
    """The lines of Requires-Dist."""
    tags: tuple[str, ...] = field(default=())
    """The wheel's tags, such as cp311-cp311-manylinux_2_28_x86_64."""

    @property
    def release(self) -> tuple[int, ...]:
        """The numbers of the version, without a build's tag."""
        match = re.match(r"v?(\d{1,6}(?:\.\d{1,6}){0,5})", self.version)
        return tuple(int(part) for part in match[1].split(".")) if match else ()

    @property
    def local(self) -> str:
        """The tag of the build: cpu, cu121, rocm6.0; empty where there is none."""
        return self.version.partition("+")[2]

    @property
    def build(self) -> str | None:
        """`cpu`, `cuda` or `rocm`; None when it cannot be told."""
        for start, kind in (("cpu", "cpu"), ("cu", "cuda"), ("rocm", "rocm"), ("xpu", "xpu")):
            if self.local.startswith(start):
                return kind
        # What PyPI has for Linux on x86-64 is built for CUDA and carries no tag.
        from_pypi = not self.local and any("manylinux" in tag and tag.endswith("x86_64") for tag in self.tags)
        return "cuda" if from_pypi else None


def parse_metadata(text: str) -> Installed | None:
    """The name, version and requirements from a METADATA file; its description is not looked at."""
    name, version, requires = "", "", []
    for line in text.split("\n"):
        if not line.strip():
            break
        key, colon, value = line.partition(":")
        value = value.strip()
        if not colon:
            continue
        if key == "Name":
            name = value
        elif key == "Version":
            version = value
        elif key == "Requires-Dist":
            requires.append(value)
    return Installed(normal(name), version, tuple(requires)) if name and version else None


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def misfits(found: Mapping[str, Installed]) -> Iterator[Misfit]:
    """What does not fit together among the installed packages."""
    torch = found.get("torch")
    if torch is None:
        return
    for name, table in COMPANIONS.items():
        companion = found.get(name)
        if companion is not None:
            yield from _companion(torch, companion, table)
    numpy = found.get("numpy")
    if numpy is not None and numpy.release >= (2,) and torch.release < (2, 3):
        why = (
            f"torch {torch.version} was built for numpy 1, and numpy {numpy.version} is there: 'Numpy is not available'"
        )
        yield Misfit(("torch", "numpy"), why)
    for one in found.values():
        if one.name not in COMPANIONS:
            yield from _required(one, found)


def _companion(
    torch: Installed, other: Installed, table: Mapping[tuple[int, ...], tuple[int, ...]]
) -> Iterator[Misfit]:
    both = ("torch", other.name)
    wanted = next((bound for name, bound, _ in requirements(other) if name == "torch" and bound), None)
    if wanted is not None and not allows(wanted, torch.version):
        yield Misfit(
            both, f"{other.name} {other.version} is for torch {wanted.lstrip('=')}, and torch {torch.version} is there"
        )
    elif wanted is None and (fits := table.get(torch.release[:2])) and other.release[:2] != fits:
        named = ".".join(map(str, fits))
        yield Misfit(both, f"torch {torch.version} goes with {other.name} {named}, and {other.version} is there")
    if torch.build is None or other.build is None:
        return
    builds = f"{other.name} {other.version} is built for {other.build.upper()}, torch {torch.version} for"
    if torch.build == "cpu" and other.build != "cpu":
        yield Misfit(both, f"{builds} CPU: its operators do not load")
    elif other.build == "cpu" and torch.build != "cpu":
        yield Misfit(both, f"{builds} {torch.build.upper()}: its operators fail on the device", broken=False)
    elif torch.build != other.build or len({_major(torch), _major(other)} - {""}) > 1:
        yield Misfit(both, f"{builds} {torch.build.upper()} of another generation")


def _major(one: Installed) -> str:
    """The generation of CUDA that a build is for; empty where its version does not say."""
    match = re.match(r"cu(\d{2})\d", one.local)
    return match[1] if match else ""


def requirements(one: Installed) -> Iterator[tuple[str, str, str]]:
    """Name, bounds and condition of what a package requires."""
    for line in one.requires:
        match = _REQUIRES.match(line)
        if match is not None:
            yield normal(match[1]), match[2].strip(), (match[3] or "").strip()


def _required(one: Installed, found: Mapping[str, Installed]) -> Iterator[Misfit]:
    """Bounds that a package sets to another one of them, wherever no condition makes them void."""
    for name, bound, condition in requirements(one):
        other = found.get(name)
        if other is not None and bound and not condition and not allows(bound, other.version):
            why = f"{one.name} {one.version} asks for {name} {bound}, and {other.version} is there"
            yield Misfit((one.name, name), why, broken=False)


def allows(bound: str, version: str) -> bool:
    """Whether a version keeps to bounds such as >=2.1,<4; what cannot be read is allowed."""
    return all(_keeps(sign, limit, version) for sign, limit in _BOUND.findall(bound))


def _keeps(sign: str, limit: str, version: str) -> bool:
    mine, other = (_numbers(text) for text in (version, limit))
    if not mine or not other:
        return True
    if limit.endswith(".*"):
        same = mine[: len(other)] == other
        return same if sign == "==" else not same if sign == "!=" else True
    width = max(len(mine), len(other))
    left, right = (numbers + (0,) * (width - len(numbers)) for numbers in (mine, other))
    if sign == "~=":
        return left >= right and mine[: len(other) - 1] == other[:-1]
    return {"==": left == right, "!=": left != right, ">=": left >= right, "<=": left <= right,
            "<": left < right, ">": left > right}[sign]  # fmt: skip


def _numbers(text: str) -> tuple[int, ...]:
    match = re.match(r"v?(\d{1,6}(?:\.\d{1,6}){0,5})", text)
    return tuple(int(part) for part in match[1].split(".")) if match else ()
