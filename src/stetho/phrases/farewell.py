"""What launchers, schedulers and libraries say when a program has ended.

## What it tells
Nothing of the program: it is not counted as output after an exception.

## What it does not tell
Why it ended.
"""

from stetho.phrase import Phrase

farewell = Phrase(
    id="farewell",
    says="a launcher's last words",
    words=(
        "torch/distributed/",
        "root cause",
        "resource_tracker",
        "device-side assertions",
        "exitcode",
        "host :",
        "time :",
        "(local_rank",
        "srun:",
        "slurmstepd:",
        "closing signal",
        "wandb:",
        "make:",
        "conda.cli",
        "torch.distributed.elastic",
        "========",
        "------",
        "leaked semaphore",
        "leaked shared_memory",
        "failures:",
        "error_file",
        "traceback :",
        "terminating",
        "to enable",
        "core dumped",
        "cuda kernel errors might",
        "cuda_launch_blocking",
        "torch_use_cuda_dsa",
        "exception ignored in",
        "destroy_process_group",
        "error in atexit",
        "job finished",
        "[w",
    ),
    patterns=(
        r"^(?:srun|slurmstepd|make(?:\[0\])?|wandb): ",
        r"^(?:ERROR )?\S{0,60}conda\.cli",
        r"Sending process 0 closing signal",
        r"torch\.distributed\.elastic",
        r"torch/distributed/(?:elastic|run)",
        r"^[=-]{10,}$",
        r"resource_tracker: There appear to be",
        r"^Failures:",
        r"^Root Cause",
        r"^Exception ignored in",
        r"^CUDA kernel errors might be",
        r"CUDA_LAUNCH_BLOCKING",
        r"TORCH_USE_CUDA_DSA",
        r"core dumped\)",
        r"destroy_process_group\(\) was not called",
        r"^ ?(?:host|error_file|traceback) ?: ",
        r"^ ?time ?: 0-0-0_0:0:0",
        r"^ ?rank ?: 0 \(local_rank",
        r"^ ?exitcode ?: -?0 \(pid",
        r"^\[W0? ?0?[0: .]* ",
        r"^Device-side assertions",
    ),
    fires=(
        "ERROR conda.cli.main_run:execute(49): `conda run python train.py` failed. (See above for error)",
        "E0521 15:43:03.620000 14690 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1)",
        "============================================================",
        "resource_tracker: There appear to be 6 leaked semaphore objects to clean up at shutdown",
        "Failures:",
        "Root Cause (first observed failure):",
        "Exception ignored in: <function _ConnectionBase.__del__ at 0x7f0000000000>",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "Segmentation fault (core dumped)",
        "WARNING: destroy_process_group() was not called before program exit, which can leak resources.",
        "  error_file: <N/A>",
        "  time      : 2025-05-21_15:43:03",
        "  rank      : 0 (local_rank: 0)",
        "  exitcode  : -9 (pid: 14750)",
        "[W1201 10:11:12.131415926 socket.cpp:200] the server is gone",
        (
            "Device-side assertions were explicitly omitted for this error check; the error probably arose while "
            "initializing"
        ),
        "srun: error: node01: task 3: Exited with exit code 1",
        "wandb: Waiting for W&B process to finish... (failed 1).",
        (
            "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below "
            "might be incorrect."
        ),
        "WARNING:torch.distributed.elastic.multiprocessing.api:Sending process 4711 closing signal SIGTERM",
    ),
    quiet=(
        "time : 3.2 s",
        "rank : 0",
        "epoch 3 loss 0.5",
        "saving to wandb/run-1",
    ),
    farewell=True,
)
