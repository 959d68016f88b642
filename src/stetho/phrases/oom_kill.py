"""The kernel says that it killed a process because memory ran out.

## What it tells
Which process, and whether the machine or a container's limit was at its end.

## What it does not tell
Who took the memory: the largest process is killed, which need not be the one at fault.
"""

from stetho.phrase import Phrase

oom_kill = Phrase(
    id="oom-kill",
    says="the kernel killed a process for memory",
    words=(
        "oomkilled",
        "out of memory",
        "oom-kill",
        "oom_reaper",
        "oom killer",
        "invoked oom",
    ),
    patterns=(
        r"Out of memory: Kill(?:ed)? process 0",
        r"oom-kill:constraint=",
        r"[Mm]emory cgroup out of memory",
        r"oom_reaper: reaped process",
        r"invoked oom-killer",
        r'\bOOMKilled\b(?!"?: ?false)',
    ),
    fires=(
        "oom_reaper: reaped process 4711 (python), now anon-rss:0kB",
        "python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
        "      Reason:       OOMKilled",
        "[12345.678901] Out of memory: Killed process 4711 (python) total-vm:98765432kB, anon-rss:65432100kB",
        (
            "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=job_1,mems_allowed=0,task=python,pid=471"
            "1,uid=1000"
        ),
        "Memory cgroup out of memory: Killed process 4711 (python)",
    ),
    quiet=(
        "OOMKilled: false",
        "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB",
        "will be killed if out of memory",
    ),
    ended="SIGKILL",
)
