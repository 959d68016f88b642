"""`stetho demo`: a bundled script that fails quietly, diagnosed end to end."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import click

from stetho.commands.options import Console, colour_wanted, formats, width
from stetho.errors import BadRequest

SCRIPT = Path(__file__).parent.parent / "demo" / "train.py"


@click.command()
@formats
@click.option("-q", "--quiet", is_flag=True, help="Print the result only.")
def command(format_: str, as_json: bool, quiet: bool) -> None:
    """Diagnose a bundled failing script, from symptom to tried fix.

    The script tags words with a small recurrent network. It runs, prints falling losses, and learns far
    less than it should. Needs torch in this Python; takes well under a minute.
    """
    import importlib.util

    from stetho.case import Request
    from stetho.render import render_verdict
    from stetho.why import begin

    if importlib.util.find_spec("torch") is None:
        raise BadRequest("the demo trains a small network and needs torch: pip install 'stetho[torch]'")
    # A network this small is fastest on one thread, and least disturbed by what else the machine does.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    folder = Path(tempfile.mkdtemp(prefix="stetho-demo-", dir="/var/tmp" if os.path.isdir("/var/tmp") else None))
    shutil.copy(SCRIPT, folder / "train.py")
    console = Console(quiet)
    console.show(f"a copy of the failing script is in {folder}; the command is: python train.py")
    request = Request((sys.executable, "train.py"), str(folder), 0, 300.0, None, True, time.time())
    try:
        verdict = begin(folder / ".stetho", request, show=console.show, progress=console.progress)
    finally:
        console.clear()
    chosen = "json" if as_json else format_
    click.echo(render_verdict(verdict, chosen, width=width(), colour=colour_wanted()), nl=False)
    if verdict.status != "established":
        raise SystemExit(verdict.exit_code)
