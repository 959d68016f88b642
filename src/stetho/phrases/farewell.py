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
        r"^\S{0,60}conda\.cli",
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
        r"^ ?(?:time|host|rank|exitcode|error_file|traceback) ?: ",
        r"^\[W0? ?0?[0: .]* ",
        r"^Device-side assertions",
    ),
    fires=(
        "srun: error: node01: task 3: Exited with exit code 1",
        "wandb: Waiting for W&B process to finish... (failed 1).",
        (
            "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below "
            "might be incorrect."
        ),
        "WARNING:torch.distributed.elastic.multiprocessing.api:Sending process 4711 closing signal SIGTERM",
    ),
    quiet=(
        "epoch 3 loss 0.5",
        "saving to wandb/run-1",
    ),
    farewell=True,
)
