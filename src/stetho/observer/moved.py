"""Finding modules of a copied project in the copy: what was installed for editing names the folder of the original."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence


def follow(pairs: Sequence[Sequence[str]]) -> None:
    """Look in the copies wherever the originals were to be looked in; a part that was not copied stays."""

    def of_copy(path: str) -> str:
        for copy, original in pairs:
            if path == original or path.startswith(original + os.sep):
                new = copy + path[len(original) :]
                return new if os.path.lexists(new) else path
        return path

    sys.path[:] = [of_copy(entry) if isinstance(entry, str) else entry for entry in sys.path]
    for name, module in list(sys.modules.items()):
        # The finders that setuptools installs keep a table of packages.
        table = getattr(module, "MAPPING", None) if name.startswith("__editable__") else None
        if isinstance(table, dict):
            table.update({package: of_copy(str(path)) for package, path in table.items()})
