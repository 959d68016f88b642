from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.evidence import Place
from stetho.facts import BadCells, InputScale

NAN = {"mean": "nan", "std": "nan", "low": "nan", "high": "nan", "nonfinite": 1}
FINE = {"mean": 0.0, "std": 1.0, "low": -3.0, "high": 3.0}
CELL = {"file": "part-3.csv", "column": "flow", "key": None, "row": 16, "line": 18, "count": 1, "rows": 900}


@check(
    reads=(InputScale, BadCells),
    root="input-values",
    background=0.02,
    fires={"one cell, and NaN in the model": {"input-scale": NAN, "bad-cells": {"cells": [CELL], "looked_at": 4}}},
    quiet={
        "missing cells that the program fills": {
            "input-scale": FINE, "bad-cells": {"cells": [{**CELL, "count": 80}], "looked_at": 1},
        },
        "NaN from elsewhere": {"input-scale": NAN, "bad-cells": {"cells": [], "looked_at": 4}},
        "a column that is not used": {
            "input-scale": FINE, "bad-cells": {"cells": [{**CELL, "column": "remark", "count": 899}], "looked_at": 1},
        },
    },
)  # fmt: skip
def cell_not_finite(scale: InputScale, bad: BadCells) -> Iterator[Finding]:
    """NaN or Inf enters the model, and a file that the run read holds a cell without a finite number.

    ## Why it matters
    One cell is enough to lose every parameter; the file says which one it is.

    ## False alarms
    Files with missing cells that the program fills: then nothing of it enters the model.
    """
    if not scale.nonfinite or not bad.cells:
        return
    places = [Place(c.file, c.line, c.column, c.key, str(c.row)) for c in bad.cells[:3]]
    first = bad.cells[0]
    more = f", the first of {first.count}" if first.count > 1 else ""
    yield Finding(
        f"values that enter the model are NaN or Inf, and {first.file} has no finite number in row {first.row} of "
        f"{first.column}{more}",
        where=tuple(places),
    )
