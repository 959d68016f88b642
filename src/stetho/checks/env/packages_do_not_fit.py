from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import PythonPackages

TORCH = {"name": "torch", "version": "2.4.1+cpu", "path": "/v/lib/python3.11/site-packages"}
WRONG = {
    "packages": ["torch", "torchvision"],
    "why": "torchvision 0.19.1+cu121 is built for CUDA, torch 2.4.1+cpu for the CPU",
}


@check(
    reads=PythonPackages,
    root="package versions",
    background=0.01,
    fires={
        "a CUDA torchvision beside a CPU torch": {"python": "/v/bin/python", "packages": [TORCH], "misfits": [WRONG]}
    },
    quiet={
        "all fit": {"python": "/v/bin/python", "packages": [TORCH]},
        "outside a stated range": {
            "python": "/v/bin/python",
            "packages": [TORCH],
            "misfits": [{**WRONG, "broken": False}],
        },
    },
    given={"none/healthy": 0.005, "env/version-mismatch": 0.7, "env/exception": 0.02},
)
def packages_do_not_fit(found: PythonPackages) -> Iterator[Finding]:
    """Packages are installed together that are known not to work together.

    ## Why it matters
    Imports fail with errors that name neither package, as "operator torchvision::nms does not exist".

    ## False alarms
    Only pairs that are known to fail are reported; ranges that a package merely states are not. A program that never
    imports the second package works.
    """
    for one in found.misfits:
        if one.broken:
            yield Finding(f"{' and '.join(one.packages)} do not fit: {one.why}")
