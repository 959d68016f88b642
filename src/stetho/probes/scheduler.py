import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from stetho.amounts import duration
from stetho.exit_codes import explained
from stetho.facts import JobState, SchedulerJob, Setting
from stetho.newest import walk
from stetho.probe import Example, Piece, Seen, Target, Unknown, probe
from stetho.procfs import whole
from stetho.redaction import redact, secret_name
from stetho.relatives import environment_of
from stetho.tool import ask

SACCT = "JobIDRaw,JobName,State,ExitCode,ElapsedRaw,TimelimitRaw,MaxRSS,Reason"
SQUEUE = "%i|%j|%T|%M|%l|%r"
SETTINGS = re.compile(
    r"^(?:RANK|LOCAL_RANK|WORLD_SIZE|LOCAL_WORLD_SIZE|GROUP_RANK|MASTER_ADDR|MASTER_PORT|TORCHELASTIC_(?:RESTART_COUNT"
    r"|MAX_RESTARTS|RUN_ID|ERROR_FILE)|CUDA_VISIBLE_DEVICES|HIP_VISIBLE_DEVICES|NCCL_\w{1,40}|TORCH_NCCL_\w{1,40}"
    r"|OMP_NUM_THREADS|SLURM_(?:JOB_ID|JOB_NAME|NTASKS|NNODES|PROCID|LOCALID|NODEID|RESTART_COUNT|MEM_PER_NODE"
    r"|CPUS_PER_TASK|JOB_PARTITION|ARRAY_TASK_ID)|ACCELERATE_\w{1,40}|DEEPSPEED_\w{1,40})$"
)
STATES = {
    "TIMEOUT": "reached its time limit",
    "OUT_OF_MEMORY": "was killed for want of memory",
    "NODE_FAIL": "its node failed",
    "PREEMPTED": "was preempted by another job",
    "CANCELLED": "was cancelled",
    "FAILED": "failed",
    "BOOT_FAIL": "its node did not start",
    "DEADLINE": "missed its deadline",
    "COMPLETED": "completed",
    "RUNNING": "is running",
    "PENDING": "is waiting",
    "SUSPENDED": "is suspended",
    "REQUEUED": "was put back into the queue",
}
ACCOUNTS = """8123|train|TIMEOUT|0:0|86412|1440||None
8123.batch|batch|CANCELLED|0:15|86414||31654320K|
8123.0|python|FAILED|137:0|86400||33018212K|
8124|sweep|CANCELLED by 1000|0:0|12|UNLIMITED||None
"""
QUEUE = "8130|train|RUNNING|1-02:03:04|2-00:00:00|None\n8131|next|PENDING|0:00|1:00:00|Resources\n"


def parse_sacct(text: str) -> tuple[JobState, ...]:
    """What `sacct -P -n` prints for the fields above."""
    found = []
    for line in text.split("\n"):
        cells = line.split("|")
        if len(cells) != 8 or not re.match(r"\d", cells[0]):
            continue
        code, _, signal = cells[3].partition(":")
        minutes = whole(cells[5])
        found.append(
            _told(
                JobState(
                    id=cells[0],
                    name=cells[1],
                    state=cells[2].split(" ")[0],
                    code=whole(code),
                    signal=whole(signal) or None,
                    elapsed=_seconds(cells[4]),
                    limit=None if minutes is None else minutes * 60.0,
                    reason="" if cells[7] == "None" else cells[7],
                    highest=_memory(cells[6]),
                )
            )
        )
    return tuple(found)


def parse_squeue(text: str) -> tuple[JobState, ...]:
    """What `squeue -h -o` prints for the fields above."""
    found = []
    for line in text.split("\n"):
        cells = line.split("|")
        if len(cells) == 6 and re.match(r"\d", cells[0]):
            reason = "" if cells[5] == "None" else cells[5]
            state = JobState(
                cells[0], cells[1], cells[2], elapsed=clock(cells[3]), limit=clock(cells[4]), reason=reason
            )
            found.append(_told(state))
    return tuple(found)


def clock(text: str) -> float | None:
    """Slurm's days-hours:minutes:seconds in seconds; None for UNLIMITED."""
    match = re.fullmatch(r"(?:(\d{1,4})-)?((?:\d{1,3}:){0,2}\d{1,3})", text.strip())
    if match is None:
        return None
    seconds = 0
    for part in match[2].split(":"):
        seconds = seconds * 60 + int(part)
    return float(seconds + 86_400 * int(match[1] or 0))


def _seconds(text: str) -> float | None:
    number = whole(text)
    return None if number is None else float(number)


def _memory(text: str) -> int | None:
    match = re.fullmatch(r"(\d{1,15})(?:\.\d+)?([KMGT]?)", text.strip())
    return int(match[1]) * 1024 ** (" KMGT".index(match[2] or " ")) if match else None


def _told(job: JobState) -> JobState:
    """The job with its state, code and signal in words."""
    words = STATES.get(job.state, job.state.lower().replace("_", " "))
    ended = explained(job.code, job.signal) if job.code or job.signal else ""
    return replace(job, meaning=f"{words}; {ended}" if ended else words)


@probe(
    gives=SchedulerJob,
    reads="/proc/PID/environ (SLURM_*, RANK, TORCHELASTIC_* and the like), sacct, squeue",
    needs="the run's own user or root for its environment; sacct or squeue for the job",
    limit=2.1,
    instead="sacct -j JOB --format=JobID,State,ExitCode,Elapsed,Timelimit,MaxRSS,Reason",
    examples={
        "out of time, then killed": Example(
            ACCOUNTS,
            parse_sacct,
            (
                JobState("8123", "train", "TIMEOUT", 0, None, 86412.0, 86400.0, meaning="reached its time limit"),
                JobState(
                    "8123.batch",
                    "batch",
                    "CANCELLED",
                    0,
                    15,
                    86414.0,
                    highest=31654320 * 1024,
                    meaning="was cancelled; SIGTERM: asked to end: a time limit, preemption, or a launcher that ends "
                    "the other ranks",
                ),
                JobState(
                    "8123.0",
                    "python",
                    "FAILED",
                    137,
                    None,
                    86400.0,
                    highest=33018212 * 1024,
                    meaning="failed; SIGKILL: killed: for want of memory, by a scheduler, or by hand",
                ),
                JobState("8124", "sweep", "CANCELLED", 0, None, 12.0, meaning="was cancelled"),
            ),
        ),
        "one runs, one waits": Example(
            QUEUE,
            parse_squeue,
            (
                JobState("8130", "train", "RUNNING", elapsed=93784.0, limit=172800.0, meaning="is running"),
                JobState(
                    "8131", "next", "PENDING", elapsed=0.0, limit=3600.0, reason="Resources", meaning="is waiting"
                ),
            ),
        ),
    },
)
def scheduler(target: Target) -> Iterator[Piece]:
    """Who launched the run, with which ranks, and how its job stands or ended.

    ## What it reads
    Names of ranks, restarts and jobs in the environment of the run's processes, no other variables; the job's number
    also from the name of a slurm-NUMBER.out. Then the scheduler's own books, exit codes and signals put into words.

    ## What it leaves
    Other schedulers than Slurm, and ranks on other machines.
    """
    environments = {pid: environment_of(pid) for pid in target.family}
    own = _telling(environments, target.trainer)
    job = own.get("SLURM_JOB_ID") or _job_of_folder(target)
    kinds = [
        *(["slurm"] if job else []),
        *(["torchrun"] if "TORCHELASTIC_RUN_ID" in own else ["ranks"] if "WORLD_SIZE" in own else []),
        *(["kubernetes"] if "KUBERNETES_SERVICE_HOST" in own else []),
    ]
    if target.family and not own:
        instead = f"sudo cat /proc/{target.trainer}/environ | tr '\\0' '\\n'"
        yield Unknown("environment of the run", "it belongs to another user", instead)
    if not kinds:
        return
    books = _books(job) if job and re.fullmatch(r"\d{1,12}", job) else ((), "")
    if isinstance(books, Unknown):
        yield books
        books = ((), "")
    jobs, asked = books
    ranks = sorted({rank for one in environments.values() if (rank := whole(one.get("RANK"))) is not None})
    fact = SchedulerJob(
        kind="+".join(kinds),
        jobs=jobs,
        settings=settings(own),
        restarts=whole(own.get("TORCHELASTIC_RESTART_COUNT")),
        ranks=tuple(ranks),
        local_world=whole(own.get("LOCAL_WORLD_SIZE")),
    )
    read = f"/proc/{target.trainer}/environ" if own else "names of the folder's files"
    yield Seen(fact, summary(fact), f"{read}{'; ' * bool(asked)}{asked}", tuple(map(_line, jobs[:6])))


def _telling(environments: Mapping[int, Mapping[str, str]], trainer: int | None) -> Mapping[str, str]:
    """The environment that says most: that of the trainer, or of a rank where the trainer is a launcher."""
    own = environments.get(trainer or 0) or {}
    ranks = [one for one in environments.values() if "WORLD_SIZE" in one]
    return own if "WORLD_SIZE" in own or not ranks else {**own, **ranks[0]}


def _books(job: str) -> tuple[tuple[JobState, ...], str] | Unknown:
    """What Slurm's accounting says of a job, else its queue; with the command that was asked."""
    asked = ask("sacct", "-j", job, "-P", "-n", f"--format={SACCT}", limit=1.0)
    if asked.ok and (jobs := parse_sacct(asked.out)):
        return jobs, asked.command
    queue = ask("squeue", "-j", job, "-h", "-o", SQUEUE, limit=0.8)
    if queue.ok and (jobs := parse_squeue(queue.out)):
        return jobs, queue.command
    why = asked.failure or "Slurm has no record of it"
    return Unknown(f"Slurm job {job}", why, f"sacct -j {job} --format=JobID,State,ExitCode,Reason", asked.command)


def settings(environment: Mapping[str, str]) -> tuple[Setting, ...]:
    """The variables that tell ranks and devices, and none that could hold a secret."""
    chosen = sorted(name for name in environment if SETTINGS.match(name) and not secret_name(name))
    return tuple(Setting(name, redact(environment[name][:200]), _number(environment[name])) for name in chosen[:40])


def _number(text: str) -> float | None:
    number = whole(text)
    return None if number is None else float(number)


def _job_of_folder(target: Target) -> str | None:
    """The number of the newest slurm-NUMBER.out; of no use while a process of the run can tell it."""
    if target.family:
        return None
    named = [
        (entry.modified, match[1])
        for entry in walk(target.folder, 0.3).entries
        if (match := re.fullmatch(r"slurm-(\d{1,12})(?:_\d+)?\.(?:out|err)", os.path.basename(entry.path)))
    ]
    return max(named)[1] if named else None


def summary(fact: SchedulerJob) -> str:
    told = [fact.kind]
    known = {one.name: one.text for one in fact.settings}
    if "WORLD_SIZE" in known:
        told.append(f"rank {known.get('RANK', '?')} of {known['WORLD_SIZE']}")
    told += [f"restarted {fact.restarts} times"] * bool(fact.restarts)
    if fact.jobs:
        told.append(f"job {fact.jobs[0].id} {fact.jobs[0].meaning}")
    return ", ".join(told)


def _line(job: JobState) -> str:
    ran = f", ran {duration(job.elapsed)}" if job.elapsed is not None else ""
    limit = f" of {duration(job.limit)}" if job.limit is not None else ""
    return f"{job.id} {job.name}: {job.state}, {job.meaning}{ran}{limit}"
