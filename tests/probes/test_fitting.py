"""Releases that fit are left alone; those that are known to fail together are told."""

from __future__ import annotations

import pytest

from stetho.fitting import Installed, allows, misfits, parse_metadata

PYPI = ("cp311-cp311-manylinux_2_28_x86_64",)


def told(**versions: str | Installed) -> list[tuple[tuple[str, ...], bool]]:
    found = {
        name.replace("_", "-"): one if isinstance(one, Installed) else Installed(name.replace("_", "-"), one)
        for name, one in versions.items()
    }
    return [(one.packages, one.broken) for one in misfits(found)]


VISION, AUDIO = ("torch", "torchvision"), ("torch", "torchaudio")


@pytest.mark.parametrize(
    "versions",
    [
        {"torch": "2.4.1+cu121", "torchvision": "0.19.1+cu121", "torchaudio": "2.4.1+cu121", "numpy": "2.1.0"},
        {"torch": "2.4.1+cpu", "torchvision": "0.19.1+cpu", "numpy": "1.26.4"},
        {"torch": "2.4.1", "torchvision": "0.19.1"},
        {"torch": "1.13.1", "torchvision": "0.14.1", "torchaudio": "0.13.1", "numpy": "1.24.0"},
        {"torch": "2.4.1+cu124", "torchvision": "0.19.1+cu121"},
        {"torch": "2.30.0", "torchvision": "0.99.0"},
        {"torch": "2.5.0a0+872d972e41.nv24.08", "torchvision": "0.20.0a0"},
        {"numpy": "2.1.0", "torchvision": "0.19.1"},
        {"torch": "2.3.0", "numpy": "2.0.1"},
    ],
    ids=str,
)
def test_what_fits_is_left_alone(versions: dict[str, str]) -> None:
    assert told(**versions) == []


@pytest.mark.parametrize(
    ("versions", "pairs"),
    [
        ({"torch": "2.4.1", "torchvision": "0.18.1"}, [(VISION, True)]),
        ({"torch": "2.4.1", "torchaudio": "2.3.1"}, [(AUDIO, True)]),
        ({"torch": "2.4.1+cpu", "torchvision": "0.19.1+cu121"}, [(VISION, True)]),
        ({"torch": "2.4.1+cu121", "torchvision": "0.19.1+cu118"}, [(VISION, True)]),
        ({"torch": "2.4.1+cu121", "torchvision": "0.19.1+cpu"}, [(VISION, False)]),
        ({"torch": "2.4.1+rocm6.0", "torchvision": "0.19.1+cu121"}, [(VISION, True)]),
        ({"torch": "2.2.2", "numpy": "2.1.0"}, [(("torch", "numpy"), True)]),
        ({"torch": "1.13.1+cu117", "numpy": "2.0.0"}, [(("torch", "numpy"), True)]),
    ],
    ids=str,
)
def test_what_fails_together_is_told(versions: dict[str, str], pairs: list[tuple[tuple[str, ...], bool]]) -> None:
    assert told(**versions) == pairs


def test_a_wheel_from_pypi_is_for_cuda_beside_a_torch_for_the_cpu() -> None:
    vision = Installed("torchvision", "0.28.0", ("torch==2.13.0",), PYPI)
    assert told(torch="2.13.0+cpu", torchvision=vision) == [(VISION, True)]
    assert told(torch="2.13.0", torchvision=vision) == []


def test_a_wheel_says_itself_which_torch_it_is_for() -> None:
    vision = Installed("torchvision", "0.40.0", ("numpy", "torch (==2.25.0)", "scipy ; extra == 'scipy'"))
    assert told(torch="2.25.0", torchvision=vision) == []
    assert told(torch="2.25.1", torchvision=vision) == [(VISION, True)]


def test_a_range_that_is_left_is_told_as_unsupported_only() -> None:
    lightning = Installed("lightning", "2.4.0", ("torch<4.0,>=2.1.0", "numpy; extra == 'x'", "torchmetrics<3"))
    assert told(torch="1.13.0", lightning=lightning) == [(("lightning", "torch"), False)]
    assert told(torch="2.4.0", lightning=lightning) == []


@pytest.mark.parametrize(
    ("bound", "version", "kept"),
    [
        (">=2.1,<4", "2.1", True), (">=2.1,<4", "4.0", False), ("==2.4.*", "2.4.9", True), ("!=2.4.*", "2.4.9", False),
        ("~=2.4.1", "2.4.9", True), ("~=2.4.1", "2.5.0", False), ("==2.4", "2.4.0+cu121", True), (">2", "2.0", False),
        ("<=1.26.4", "1.26.4", True), ("nonsense", "1.0", True), (">=x", "1.0", True), (">=1", "unreadable", True),
    ],
)  # fmt: skip
def test_bounds(bound: str, version: str, kept: bool) -> None:
    assert allows(bound, version) is kept


@pytest.mark.parametrize("text", ["", "Name: x\n", "Version: 1\n", "\n\nName: x\nVersion: 1\n", "Name x\nVersion 1"])
def test_metadata_without_a_name_and_a_version_is_none(text: str) -> None:
    assert parse_metadata(text) is None
