"""Runs that the machine ended: kernel, scheduler, disk, GPU, file system. Texts after the real messages. Standard library only."""

# ruff: noqa: E501 - lines of real logs are long

import math
import random

from fixture import Clock, Page, decay, numbered, run

KERNEL = "written after the format: Linux kernel log"
STEADY = ["loss-nonfinite", "loss-diverging", "overfitting", "loss-flat"]


def steps(page, clock, n, seed, every=10, seconds=3.0, start=6.1, floor=2.2):
    for step, loss in numbered(decay(n, start, floor, n / 6, 0.015, seed), every, every):
        clock.tick(seconds)
        page.log("{t} step {step} loss {loss:.4f}", "loss", t=clock.show(), step=step, loss=loss)
    return n * every


def oom_dump(pid: int, seconds: float, gigabytes: float, container: str = "") -> str:
    """What the kernel prints when it kills for memory, shortened to its usual parts."""
    t = [f"[{seconds + i * 1e-5:12.6f}]" for i in range(14)]
    kb = round(gigabytes * 1024 * 1024)
    where = (
        f"oom_memcg=/kubepods.slice/kubepods-{container}.slice,task_memcg=/kubepods.slice/kubepods-{container}.slice/cri-a1"
        if container
        else "global_oom,task_memcg=/user.slice/user-1000.slice/session-4.scope"
    )
    killed = "Memory cgroup out of memory" if container else "Out of memory"
    lines = [
        f"{t[0]} python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj={999 if container else 0}",
        f"{t[1]} CPU: 11 PID: {pid} Comm: python Not tainted 6.8.0-45-generic #45-Ubuntu",
        f"{t[2]} Call Trace:",
        f"{t[3]}  <TASK>",
        f"{t[4]}  dump_stack_lvl+0x76/0xa0",
        f"{t[5]}  dump_header+0x47/0x1f0",
        f"{t[6]}  oom_kill_process+0x118/0x280",
        f"{t[7]}  {'mem_cgroup_out_of_memory' if container else 'out_of_memory'}+0x13a/0x150",
        f"{t[8]}  </TASK>",
    ]
    if container:
        lines.append(f"{t[9]} memory: usage {kb}kB, limit {kb}kB, failcnt 12091")
    lines += [
        f"{t[10]} [  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name",
        f"{t[11]} [   {pid}]  1000  {pid} {kb // 3:8d} {kb // 4:8d} {kb // 2:9d}        0             0 python",
        f"{t[12]} oom-kill:constraint={'CONSTRAINT_MEMCG' if container else 'CONSTRAINT_NONE'},nodemask=(null),cpuset=/,"
        f"mems_allowed=0,{where},task=python,pid={pid},uid=1000",
        f"{t[13]} {killed}: Killed process {pid} (python) total-vm:{kb + 9121412}kB, anon-rss:{kb}kB, file-rss:2104kB, "
        f"shmem-rss:0kB, UID:1000 pgtables:{kb // 400}kB oom_score_adj:{999 if container else 0}",
    ]
    return "\n".join(lines) + "\n"


@run(
    "host-oom-memory-growing",
    about="resident memory grows by 0.4 GB per 100 steps until the kernel kills the trainer; dmesg was saved beside the log",
    source=KERNEL,
    status=["established"],
    causes=["env/host-oom"],
    symptoms=["killed", "memory-growing"],
    not_symptoms=STEADY,
    formats=["text", "dmesg"],
)
def host_oom(out):
    page, clock, dice = Page(), Clock("2026-05-05 01:00:00"), random.Random(60)
    page.say("pid 4711, host memory 62.7 GB")
    for step, loss in numbered(decay(140, 5.2, 1.4, 25, 0.015, 60), 100, 100):
        clock.tick(41)
        page.log(
            "{t} step={step} loss={loss:.4f} rss={rss:.2f}GB",
            "loss rss",
            t=clock.show(),
            step=step,
            loss=loss,
            rss=4.1 + 0.41 * step / 100 + abs(dice.gauss(0, 0.05)),
        )
    page.say("Killed")
    (out / "dmesg.txt").write_text(
        "[    0.000000] Linux version 6.8.0-45-generic (buildd@lcy02) (x86_64-linux-gnu-gcc-13)\n"
        "[   12.411090] nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver  550.90.07\n"
        "[ 9120.118821] perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500\n"
        + oom_dump(4711, 184211.04, 59.8)
        + "[184213.911202] oom_reaper: reaped process 4711 (python), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB\n"
    )
    return page.save(out / "train.log") | {"last_step": 14000}


@run(
    "cgroup-oom-in-container",
    about="a container with a 16 GiB limit: the kernel kills the trainer inside its memory cgroup; the log just ends",
    source=KERNEL,
    status=["established"],
    causes=["env/host-oom"],
    symptoms=["killed"],
    not_symptoms=STEADY,
    formats=["text", "dmesg"],
)
def cgroup_oom(out):
    page, clock = Page(), Clock("2026-05-09 12:00:00")
    last = steps(page, clock, 47, 61)
    (out / "kernel.log").write_text(
        "".join(
            f"May 09 12:02:{31 + i // 9:02d} node-17 kernel: {line.split('] ', 1)[1]}\n"
            for i, line in enumerate(oom_dump(2290117, 702.1, 16.0, "burstable-pod41").splitlines())
        )
    )
    (out / "pod.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: train-41\nspec:\n  restartPolicy: Never\n  containers:\n  - name: trainer\n"
        "    resources:\n      limits:\n        memory: 16Gi\nstatus:\n  containerStatuses:\n  - name: trainer\n    state:\n"
        "      terminated:\n        exitCode: 137\n        reason: OOMKilled\n"
    )
    return page.save(out / "stdout.log") | {"last_step": last}


@run(
    "other-process-oom-healthy",
    about="the kernel killed somebody's browser on the same machine; this run (pid 8812) finished normally",
    source=KERNEL,
    status=["clear"],
    causes=["none/completed", "none/healthy", "none/slow-but-learning"],
    not_symptoms=["killed", "crash", "memory-growing"],
    formats=["text", "dmesg"],
    completed=True,
)
def other_oom(out):
    page, clock = Page(), Clock("2026-05-10 09:00:00")
    page.say("trainer started, pid 8812")
    last = steps(page, clock, 200, 62)
    page.say(f"{clock.show()} training finished after {last} steps")
    (out / "dmesg.txt").write_text(oom_dump(1203, 331.5, 6.1).replace("python", "chrome"))
    return page.save(out / "train.log") | {"last_step": last}


@run(
    "slurm-time-limit",
    about="the job reached its wall-clock limit of twelve hours",
    source="written after the format: Slurm",
    status=["established"],
    causes=["env/killed"],
    symptoms=["killed"],
    not_symptoms=[*STEADY, "crash"],
    formats=["text", "slurm"],
)
def slurm_time(out):
    page, clock = Page(), Clock("2026-06-11 20:00:12")
    page.say("SLURM_JOB_ID=48211 SLURM_JOB_NODELIST=n01 SLURM_CPUS_PER_TASK=8")
    last = steps(page, clock, 240, 63, 100, 179.9)
    page.say("slurmstepd: error: *** JOB 48211 ON n01 CANCELLED AT 2026-06-12T08:00:31 DUE TO TIME LIMIT ***")
    return page.save(out / "slurm-48211.out") | {"last_step": last}


@run(
    "slurm-oom-kill",
    about="Slurm's memory limit of the step: one task killed for memory",
    source="written after the format: Slurm",
    status=["established"],
    causes=["env/host-oom"],
    symptoms=["killed"],
    not_symptoms=STEADY,
    formats=["text", "slurm"],
)
def slurm_oom(out):
    page, clock = Page(), Clock("2026-06-14 11:20:00")
    last = steps(page, clock, 33, 64)
    page.say(
        "/var/spool/slurmd/job48309/slurm_script: line 14: 21077 Killed                  python train.py --config base.yaml\n"
        "slurmstepd: error: Detected 1 oom_kill event in StepId=48309.batch. Some of the step tasks have been OOM Killed.\n"
        "srun: error: n04: task 0: Out Of Memory"
    )
    return page.save(out / "slurm-48309.out") | {"last_step": last}


@run(
    "preempted-with-sigterm",
    about="the cluster wanted the node back: SIGTERM, the program saved a checkpoint, Slurm cancelled it for preemption",
    source="written after the format: Slurm",
    status=["established"],
    causes=["env/killed"],
    symptoms=["killed"],
    not_symptoms=STEADY,
    formats=["text", "slurm"],
)
def preempted(out):
    page, clock = Page(), Clock("2026-06-16 03:33:00")
    last = steps(page, clock, 88, 65)
    page.say(
        f"{clock.show()} caught SIGTERM, saving checkpoint before exit\n{clock.show()} saved ckpt/step_{last}.pt (412 MB) in 3.1 s\n"
        "slurmstepd: error: *** STEP 51002.0 ON n11 CANCELLED AT 2026-06-16T03:37:31 DUE TO PREEMPTION ***\n"
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish."
    )
    return page.save(out / "slurm-51002.out") | {"last_step": last}


@run(
    "xid-79-off-the-bus",
    about="the GPU fell off the bus (Xid 79) and the next CUDA call failed",
    source="written after the format: NVIDIA driver, torch",
    status=["established"],
    causes=["env/gpu-fault"],
    symptoms=["crash"],
    not_symptoms=STEADY,
    formats=["text", "dmesg"],
    where="train.py:88",
)
def xid(out):
    page, clock = Page(), Clock("2026-07-01 16:00:00")
    last = steps(page, clock, 120, 66)
    page.say("""Traceback (most recent call last):
  File "/home/mira/proj/train.py", line 121, in <module>
    main()
  File "/home/mira/proj/train.py", line 88, in main
    total += loss.item()
             ^^^^^^^^^^^
torch.AcceleratorError: CUDA error: unspecified launch failure
Search for `cudaErrorLaunchFailure' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.
CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
For debugging consider passing CUDA_LAUNCH_BLOCKING=1
Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.
""")
    (out / "dmesg.txt").write_text(
        "[Wed Jul  1 16:06:01 2026] NVRM: GPU at PCI:0000:3b:00: GPU-8f1c3e1a-0b1d-9a51-77aa-0a8d4f6e21c3\n"
        "[Wed Jul  1 16:06:01 2026] NVRM: GPU Board Serial Number: 0000000000000\n"
        "[Wed Jul  1 16:06:01 2026] NVRM: Xid (PCI:0000:3b:00): 79, pid=30211, name=python, GPU has fallen off the bus.\n"
        "[Wed Jul  1 16:06:01 2026] NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.\n"
        "[Wed Jul  1 16:06:02 2026] pcieport 0000:3a:00.0: AER: Uncorrectable (Fatal) error message received from 0000:3a:00.0\n"
    )
    return page.save(out / "train.log") | {"last_step": last}


@run(
    "ecc-uncorrectable",
    about="an uncorrectable ECC error (Xid 48, 63) and the exception that follows from it",
    source="written after the format: NVIDIA driver, torch",
    status=["established"],
    causes=["env/gpu-fault"],
    symptoms=["crash"],
    not_symptoms=STEADY,
    formats=["text", "journal"],
    where="finetune.py:57",
)
def ecc(out):
    page, clock = Page(), Clock("2026-07-03 04:00:00")
    last = steps(page, clock, 75, 67)
    page.say("""Traceback (most recent call last):
  File "/home/mira/proj/finetune.py", line 57, in <module>
    loss.backward()
  File "/home/mira/venv/lib/python3.11/site-packages/torch/_tensor.py", line 647, in backward
    torch.autograd.backward(
  File "/home/mira/venv/lib/python3.11/site-packages/torch/autograd/__init__.py", line 354, in backward
    _engine_run_backward(
  File "/home/mira/venv/lib/python3.11/site-packages/torch/autograd/graph.py", line 829, in _engine_run_backward
    return Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
RuntimeError: CUDA error: uncorrectable ECC error encountered
CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
For debugging consider passing CUDA_LAUNCH_BLOCKING=1
Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.
""")
    (out / "journal.txt").write_text(
        "-- Boot 4f1cbb0e2e7c4f6c8ad5d1f3a0b9c1d2 --\n"
        "Jul 03 04:03:47 node-03 kernel: NVRM: Xid (PCI:0000:86:00): 48, pid='<unknown>', name=<unknown>, DBE (double bit error) ECC Error\n"
        "Jul 03 04:03:47 node-03 kernel: NVRM: Xid (PCI:0000:86:00): 63, pid=71120, name=python, Row Remapper: New row marked for remapping\n"
        "Jul 03 04:03:48 node-03 systemd[1]: session-12.scope: Consumed 3h 2min CPU time.\n"
    )
    return page.save(out / "finetune.log") | {"last_step": last}


@run(
    "nfs-not-responding",
    about="the data server went away for twenty minutes, twice; steps wait, the run lives but crawls until it was stopped",
    source=KERNEL,
    status=["established", "suspected"],
    causes=["env/slow-storage"],
    symptoms_any=["slow-training", "hang"],
    not_symptoms=[*STEADY, "memory-growing"],
    formats=["text", "dmesg"],
)
def nfs(out):
    page, clock = Page(), Clock("2026-08-02 13:00:00")
    for step, loss in numbered(decay(160, 4.4, 1.9, 30, 0.015, 68), 1, 500):
        clock.tick(1190 if step in (580, 621) else 3.0)
        page.log(
            "{t} step {step} loss {loss:.4f} data_wait {w:.2f}s",
            "loss",
            t=clock.show(),
            step=step,
            loss=loss,
            w=1187.2 if step in (580, 621) else 0.11,
        )
    (out / "dmesg.txt").write_text(
        "[Sun Aug  2 13:06:01 2026] nfs: server storage-1 not responding, still trying\n"
        "[Sun Aug  2 13:09:31 2026] INFO: task python:50112 blocked for more than 120 seconds.\n"
        "[Sun Aug  2 13:09:31 2026]       Not tainted 6.8.0-45-generic #45-Ubuntu\n"
        "[Sun Aug  2 13:09:31 2026] task:python          state:D stack:0     pid:50112 tgid:50112 ppid:50001  flags:0x00000002\n"
        "[Sun Aug  2 13:23:44 2026] nfs: server storage-1 OK\n"
        "[Sun Aug  2 13:27:58 2026] nfs: server storage-1 not responding, still trying\n"
        "[Sun Aug  2 13:45:33 2026] nfs: server storage-1 OK\n"
    )
    return page.save(out / "train.log") | {"last_step": 659}


@run(
    "device-unused",
    about="'cuda not available, using cpu' at the start, and the saved nvidia-smi shows an idle GPU without a process",
    source="written after the format: nvidia-smi, own prints",
    status=["suspected", "established"],
    causes=["env/device-unused"],
    symptoms=["slow-training"],
    not_symptoms=STEADY,
    formats=["text", "nvidia-smi-csv"],
)
def device_unused(out):
    page, clock, dice = Page(), Clock("2026-09-01 10:00:00"), random.Random(69)
    page.say("torch 2.13.0+cpu\nWARNING: torch.cuda.is_available() is False, using device: cpu")
    for step, loss in numbered(decay(60, 6.9, 5.1, 20, 0.01, 69), 1, 1):
        clock.tick(38)
        page.log(
            "step {step} loss {loss:.4f} 38.{d}s/it eta {eta:.1f} days",
            "loss",
            step=step,
            loss=loss,
            d=dice.randrange(10),
            eta=43.9,
        )
    smi = ["timestamp, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W]"]
    watch = Clock("2026-09-01 10:05:00")
    for _ in range(40):
        watch.tick(30)
        smi += [
            f"{watch.show('%Y/%m/%d %H:%M:%S')}.771, {i}, NVIDIA H100 80GB HBM3, 0 %, 4 MiB, 81559 MiB, {68.9 + i} W"
            for i in range(2)
        ]
    (out / "nvidia-smi.csv").write_text("\n".join(smi) + "\n")
    return page.save(out / "train.log") | {"last_step": 60}


CUDA_OOM = """Traceback (most recent call last):
  File "/home/mira/proj/train.py", line {outer}, in <module>
    main()
  File "/home/mira/proj/train.py", line {inner}, in main
    loss.backward()
  File "/home/mira/venv/lib/python3.11/site-packages/torch/_tensor.py", line 647, in backward
    torch.autograd.backward(
  File "/home/mira/venv/lib/python3.11/site-packages/torch/autograd/graph.py", line 829, in _engine_run_backward
    return Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {want}. GPU 0 has a total capacity of 23.69 GiB of which {free} is free. Including non-PyTorch memory, this process has {used} memory in use. Of the allocated memory {torch} is allocated by PyTorch, and {reserved} is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"""


@run(
    "cuda-oom-first-step",
    about="the batch does not fit: out of memory on the GPU in the first backward",
    source="written after the format: torch",
    status=["established"],
    causes=["env/device-oom"],
    symptoms=["crash"],
    not_symptoms=[*STEADY, "memory-growing"],
    formats=["text"],
    where="train.py:64",
)
def cuda_oom(out):
    page = Page()
    page.say(
        "Namespace(model='vit_l', batch_size=256, image_size=384, amp=False)\nmodel: 304.1M parameters on cuda:0\nstarting epoch 0"
    )
    page.say(
        CUDA_OOM.format(
            outer=90,
            inner=64,
            want="2.25 GiB",
            free="1.13 GiB",
            used="22.55 GiB",
            torch="21.80 GiB",
            reserved="311.22 MiB",
        )
    )
    page.save(out / "train.log")


@run(
    "cuda-oom-memory-growing",
    about="allocated GPU memory grows by the same amount each step (losses kept with their graph) until it is full at step 812",
    source="written after the format: torch, own prints",
    status=["established"],
    causes=["env/device-oom", "train/hidden-state-carried"],
    symptoms=["memory-growing", "crash"],
    not_symptoms=STEADY,
    formats=["text"],
    where="train.py:41",
)
def cuda_oom_growing(out):
    page = Page()
    for step, loss in numbered(decay(406, 3.1, 1.1, 70, 0.02, 70), 2, 0):
        page.log(
            "step {step} loss {loss:.4f} mem_alloc {mem:.2f} GiB",
            "loss mem>mem_alloc",
            step=step,
            loss=loss,
            mem=2.9 + step * 0.0247,
        )
    page.say(
        CUDA_OOM.format(
            outer=58,
            inner=41,
            want="26.00 MiB",
            free="14.81 MiB",
            used="23.66 GiB",
            torch="22.96 GiB",
            reserved="402.18 MiB",
        )
    )
    return page.save(out / "train.log") | {"last_step": 810}


@run(
    "device-side-assert",
    about="a class index of 10 for ten classes, on the GPU: the assertion is printed by many threads, the exception comes later",
    source="written after the format: torch CUDA",
    status=["established"],
    causes=["data/label-encoding"],
    symptoms=["crash"],
    not_symptoms=STEADY,
    formats=["text"],
    where="train.py:52",
)
def device_assert(out):
    page = Page()
    page.say("epoch 0, 10 classes, device cuda")
    for thread in (3, 9, 17, 22, 30):
        page.say(
            "/pytorch/aten/src/ATen/native/cuda/Loss.cu:245: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: "
            f"[{thread},0,0] Assertion `t >= 0 && t < n_classes` failed."
        )
    page.say("""Traceback (most recent call last):
  File "/home/mira/proj/train.py", line 71, in <module>
    train(model, loader, optimizer)
  File "/home/mira/proj/train.py", line 52, in train
    loss.backward()
  File "/home/mira/venv/lib/python3.11/site-packages/torch/_tensor.py", line 647, in backward
    torch.autograd.backward(
torch.AcceleratorError: CUDA error: device-side assert triggered
Search for `cudaErrorAssert' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.
CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
For debugging consider passing CUDA_LAUNCH_BLOCKING=1
Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.
""")
    page.save(out / "train.log")


@run(
    "torchvision-nms-missing",
    about="a CUDA torchvision beside a CPU torch: the import fails before training starts",
    source="written after the format: torchvision",
    status=["established"],
    causes=["env/version-mismatch"],
    symptoms=["crash"],
    formats=["text"],
    where="train.py:4",
    not_symptoms=STEADY,
)
def nms(out):
    page = Page()
    page.say("""Traceback (most recent call last):
  File "/home/mira/proj/train.py", line 4, in <module>
    import torchvision
  File "/home/mira/venv/lib/python3.11/site-packages/torchvision/__init__.py", line 10, in <module>
    from torchvision import _meta_registrations, datasets, io, models, ops, transforms, utils  # usort:skip
  File "/home/mira/venv/lib/python3.11/site-packages/torchvision/_meta_registrations.py", line 163, in <module>
    @torch.library.register_fake("torchvision::nms")
     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/home/mira/venv/lib/python3.11/site-packages/torch/library.py", line 1063, in register
    use_lib._register_fake(
  File "/home/mira/venv/lib/python3.11/site-packages/torch/library.py", line 211, in _register_fake
    handle = entry.fake_impl.register(
  File "/home/mira/venv/lib/python3.11/site-packages/torch/_library/fake_impl.py", line 50, in register
    if torch._C._dispatch_has_kernel_for_dispatch_key(self.qualname, "Meta"):
RuntimeError: operator torchvision::nms does not exist""")
    page.save(out / "out.log")


@run(
    "driver-too-old",
    about="the NVIDIA driver is older than the CUDA that torch was built for",
    source="written after the format: torch",
    status=["established"],
    causes=["env/version-mismatch"],
    symptoms=["crash"],
    formats=["text"],
    where="main.py:19",
    not_symptoms=STEADY,
)
def driver(out):
    page = Page()
    page.say("""Using seed 7
Traceback (most recent call last):
  File "/home/mira/proj/main.py", line 33, in <module>
    run(parse())
  File "/home/mira/proj/main.py", line 19, in run
    model = Model(args).to("cuda")
  File "/home/mira/venv/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1369, in to
    return self._apply(convert)
  File "/home/mira/venv/lib/python3.11/site-packages/torch/cuda/__init__.py", line 412, in _lazy_init
    torch._C._cuda_init()
RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver by downloading and installing a new version from the URL: http://www.nvidia.com/Download/index.aspx Alternatively, go to: https://pytorch.org to install a PyTorch version that has been compiled with your version of the CUDA driver.""")
    page.save(out / "job.err")


@run(
    "shm-bus-error",
    about="a container with 64 MB of /dev/shm: a loader worker dies of a bus error",
    source="written after the format: torch DataLoader",
    status=["established"],
    causes=["env/worker-crash"],
    symptoms=["crash"],
    not_symptoms=STEADY,
    formats=["text"],
    where="train.py:38",
)
def shm(out):
    page, clock = Page(), Clock("2026-03-30 15:00:00")
    last = steps(page, clock, 6, 71)
    page.say("""ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).
ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).
Traceback (most recent call last):
  File "/home/mira/venv/lib/python3.11/site-packages/torch/utils/data/dataloader.py", line 1310, in _try_get_data
    data = self._data_queue.get(timeout=timeout)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/usr/lib/python3.11/multiprocessing/queues.py", line 113, in get
    if not self._poll(timeout):
           ^^^^^^^^^^^^^^^^^^^
  File "/home/mira/venv/lib/python3.11/site-packages/torch/utils/data/_utils/signal_handling.py", line 73, in handler
    _error_if_any_worker_fails()
RuntimeError: DataLoader worker (pid 317) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit.

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/home/mira/proj/train.py", line 61, in <module>
    main()
  File "/home/mira/proj/train.py", line 38, in main
    for x, y in loader:
  File "/home/mira/venv/lib/python3.11/site-packages/torch/utils/data/dataloader.py", line 733, in __next__
    data = self._next_data()
           ^^^^^^^^^^^^^^^^^
  File "/home/mira/venv/lib/python3.11/site-packages/torch/utils/data/dataloader.py", line 1323, in _try_get_data
    raise RuntimeError(
RuntimeError: DataLoader worker (pid(s) 317) exited unexpectedly""")
    return page.save(out / "train.log") | {"last_step": last}


@run(
    "quota-exceeded",
    about="the home directory's quota is used up when a checkpoint is written",
    source="written after the format: Python, torch",
    status=["established"],
    causes=["env/disk-full"],
    symptoms=["crash"],
    not_symptoms=STEADY,
    formats=["text"],
    where="train.py:77",
)
def quota(out):
    page, clock = Page(), Clock("2026-04-04 15:00:00")
    last = steps(page, clock, 100, 72)
    page.say("""Traceback (most recent call last):
  File "/home/mira/proj/train.py", line 101, in <module>
    main()
  File "/home/mira/proj/train.py", line 77, in main
    shutil.copy("ckpt/last.pt", f"ckpt/step_{step}.pt")
  File "/usr/lib/python3.11/shutil.py", line 419, in copy
    copyfile(src, dst, follow_symlinks=follow_symlinks)
  File "/usr/lib/python3.11/shutil.py", line 267, in copyfile
    _fastcopy_sendfile(fsrc, fdst)
  File "/usr/lib/python3.11/shutil.py", line 142, in _fastcopy_sendfile
    raise err from None
OSError: [Errno 122] Disk quota exceeded: 'ckpt/last.pt' -> 'ckpt/step_1000.pt'""")
    return page.save(out / "train.log") | {"last_step": last}


@run(
    "gpu-busy-healthy",
    about="nvidia-smi at 97 % and hot but within limits, memory at 92 % and constant; an ordinary run with a gap at night (evaluation)",
    source="written after the format: nvidia-smi, own prints",
    status=["clear"],
    formats=["text", "nvidia-smi-csv"],
    causes=["none/healthy", "none/completed", "none/slow-but-learning"],
    completed=True,
    not_symptoms=["hang", "slow-training", "memory-growing", "killed"],
)
def gpu_busy(out):
    page, clock, dice = Page(), Clock("2026-09-11 22:00:00"), random.Random(73)
    for step, loss in numbered(decay(220, 5.0, 1.7, 35, 0.012, 73), 50, 50):
        clock.tick(60)
        page.log(
            "{t} step {step}/11000 loss {loss:.4f} mem 73.4/80.0 GiB", "loss", t=clock.show(), step=step, loss=loss
        )
        if step % 5500 == 0:
            page.say(f"{clock.show()} full evaluation on 40 sets, this takes about half an hour")
            clock.tick(1822)
            page.log("{t} evaluation done: score {s:.3f}", "", t=clock.show(), s=0.61 + step / 1e5)
    page.say(f"{clock.show()} done")
    smi = [
        "timestamp, index, utilization.gpu [%], memory.used [MiB], memory.total [MiB], temperature.gpu, clocks_throttle_reasons.active"
    ]
    watch = Clock("2026-09-11 22:10:00")
    for _ in range(60):
        watch.tick(60)
        smi.append(
            f"{watch.show('%Y/%m/%d %H:%M:%S')}.120, 0, {min(100, round(97 + dice.gauss(0, 1)))} %, 75161 MiB, 81559 MiB, "
            f"{81 + dice.randrange(3)}, 0x0000000000000000"
        )
    (out / "gpu.csv").write_text("\n".join(smi) + "\n")
    assert math.isfinite(loss)
    return page.save(out / "train.log") | {"last_step": 11000}
