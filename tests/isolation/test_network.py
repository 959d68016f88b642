"""An experiment reaches itself and nobody else, unless the user allows it; a failure for that reason is said."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path

import pytest

from conftest import stetho
from isolation.rooms import both, run
from stetho.executors.protocol import Ran
from stetho.experiment import Isolation
from stetho.facts import Crash
from stetho.isolation.refusal import explained
from stetho.isolation.trackers import EMPTIED, REMOVED, SWITCHES, quiet

OWN = """
import multiprocessing as mp, socket, sys
from multiprocessing import shared_memory
port = int(sys.argv[1])
with socket.create_server(("127.0.0.1", port)) as server, socket.create_connection(("localhost", port)): pass
with socket.create_server((socket.gethostbyname(socket.gethostname()), 0)) as server:
    socket.create_connection(server.getsockname()).close()
with socket.socket(socket.AF_UNIX) as own, socket.socket(socket.AF_UNIX) as other:
    own.bind("own.sock"); own.listen(); other.connect("own.sock")
memory = shared_memory.SharedMemory(create=True, size=1000); memory.close(); memory.unlink()
def put(queue, semaphore):
    with semaphore: queue.put("done")
queue, semaphore = mp.Queue(), mp.Semaphore()
worker = mp.Process(target=put, args=(queue, semaphore)); worker.start(); print(queue.get()); worker.join()
"""


def skip_if_open(ran: Ran) -> None:
    if any("network could not be closed" in note for note in ran.notes):
        ran.discard()
        pytest.skip("this machine allows no network namespace")


@both
def test_a_program_talks_to_itself_on_a_port_that_is_taken_outside(isolation: Isolation, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = run(tmp_path, [sys.executable, "-c", OWN, str(taken.getsockname()[1])], isolation)
    skip_if_open(ran)
    assert ran.output.read_text() == "done\n"
    ran.discard()


@both
@pytest.mark.parametrize("allowed", [False, True])
def test_services_of_the_machine_are_out_of_reach(isolation: Isolation, allowed: bool, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}))"
        ran = run(tmp_path, code, Isolation(network=allowed, copy=isolation.copy))
    skip_if_open(ran)
    assert ran.code == (0 if allowed else 1)
    ran.discard()


def test_sockets_in_the_users_directories_are_out_of_reach(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "service.sock"))
        server.listen()
        code = "import socket; socket.socket(socket.AF_UNIX).connect('service.sock')"
        ran = run(tmp_path, code)
        assert ran.code == 1 and "Connection refused" in ran.output.read_text()
        ran.discard()
        ran = run(tmp_path, code, Isolation(writes=(str(tmp_path),)))
        assert ran.code == 0
        ran.discard()


def test_trackers_are_switched_off_also_with_a_network(tmp_path: Path) -> None:
    given = {"WANDB_MODE": "online", "MLFLOW_TRACKING_URI": "http://tracking", "HF_TOKEN": "hf_secret"}
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    ran = run(tmp_path, code, Isolation(network=True), **given)
    seen = json.loads(ran.output.read_text())
    ran.discard()
    assert seen["WANDB_MODE"] == "disabled" and seen["HF_TOKEN"] == "" and "MLFLOW_TRACKING_URI" not in seen
    assert "HF_HUB_OFFLINE" not in seen


def test_every_switch_has_a_reason() -> None:
    assert all(value and why for value, why in SWITCHES.values())
    assert all({**EMPTIED, **REMOVED}.values())
    assert quiet({"MINE": "1"})["MINE"] == "1" and "HF_TOKEN" not in quiet({})


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        ([], "import urllib.request\nurllib.request.urlopen('http://example.org')\n",
         "it could not reach the network (train.py:2, URLError"),
        ([], "import subprocess\nexit(subprocess.run(['bash', '-c', 'exec 3<>/dev/tcp/192.0.2.1/80']).returncode)\n",
         "allow it with --allow-network"),
        (["--in-copy"], "import os\nopen(os.path.dirname(os.environ['CASES']) + '/out.txt', 'w')\n",
         "out.txt could not be written there (train.py:2, PermissionError"),
    ],
)  # fmt: skip
def test_a_run_that_fails_only_in_isolation(options: list[str], code: str, says: str, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(code)
    cases = str(tmp_path / "elsewhere" / "cases")
    answer = stetho("why", "--case", cases, *options, "--", "python", "train.py", cwd=folder, CASES=cases)
    assert answer.code == 2 and "failed in isolation: " in answer.err and says in answer.err
    again = stetho("cases", "--case", cases, "resume", "last", cwd=folder)
    assert again.code == 2 and says in again.err


def crash(name: str, message: str) -> Crash:
    return Crash(name, message)


def test_an_error_that_isolation_does_not_make_is_the_users(tmp_path: Path) -> None:
    log = tmp_path / "output.txt"
    log.write_text("warning: Network is unreachable, going on without\n")
    assert explained(crash("KeyError", "'lr'"), log, Isolation(), True) is None
    unreachable = crash("OSError", "[Errno 101] Network is unreachable")
    assert explained(unreachable, log, Isolation(network=True), True) is None
    assert "--allow-network" in (explained(unreachable, log, Isolation(), True) or "")
    allowed = Isolation(writes=(str(tmp_path),))
    denied = crash("PermissionError", f"[Errno 13] Permission denied: '{tmp_path}/x'")
    assert explained(denied, log, allowed, True) is None
    assert f"--allow-write {tmp_path}" in (explained(denied, log, Isolation(), True) or "")
    moved = crash("OSError", "[Errno 18] Invalid cross-device link: 'a' -> 'b'")
    assert "--in-copy" in (explained(moved, log, Isolation(), True) or "")


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_what_the_user_may_not_write_anyhow_is_no_refusal(tmp_path: Path) -> None:
    denied = crash("PermissionError", "[Errno 13] Permission denied: '/etc/passwd'")
    assert explained(denied, tmp_path / "none", Isolation(), True) is None
