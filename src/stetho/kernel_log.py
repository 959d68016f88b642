"""What the kernel's log says that can end or hold up a training run: a pure parser of its text.

It reads what dmesg, /dev/kmsg and journalctl print, and what somebody saved of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from stetho.facts.kernel import KernelEvent

LONGEST = 1000
MOST_PENDING = 64

# The time before a message: what dmesg, dmesg -T, dmesg --time-format iso, /dev/kmsg and journalctl write.
_HEADS = (
    re.compile(r"(?:<\d{1,3}>)?\[ *(?P<uptime>\d{1,12}\.\d{1,9})\](?:\[ *[TC]\d+\])? ?(?P<text>.*)", re.DOTALL),
    re.compile(r"(?:<\d{1,3}>)?\[(?P<when>\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})\] ?(?P<text>.*)", re.DOTALL),
    re.compile(r"\d{1,4},\d{1,20},(?P<micros>\d{1,20}),[^;]{0,40};(?P<text>.*)", re.DOTALL),
    re.compile(
        r"(?P<when>\d{4}-\d\d-\d\d[T ][\d:.,]{8,16}(?:Z|[+-]\d\d:?\d\d)?)(?: \S{1,80} kernel:)? (?P<text>.*)", re.DOTALL
    ),
    re.compile(r"(?P<when>\d{9,10}\.\d{1,9}) \S{1,80} kernel: (?P<text>.*)", re.DOTALL),
    re.compile(r"(?P<when>[A-Z][a-z]{2} [ \d]\d [\d:]{8}) \S{1,80} kernel: (?P<text>.*)", re.DOTALL),
)
# journalctl may keep the kernel's own clock inside the message.
_INNER = re.compile(r"\[ *(?P<uptime>\d{1,12}\.\d{1,9})\] (?P<text>.*)", re.DOTALL)

_OOM = re.compile(r"oom-kill:constraint=(?P<constraint>\w+)")
_OOM_FIELD = re.compile(r"(oom_memcg|task_memcg|task|pid)=([^,]*)")
_KILLED = re.compile(
    r"(?:(?P<scope>[Oo]ut of memory|Memory cgroup out of memory)[:.]? )?"
    r"[Kk]ill(?:ed)? process (?P<pid>\d{1,10}),? \((?P<name>[^)]{0,64})\)(?P<rest>.*)"
)
_RESIDENT = re.compile(r"(anon-rss|file-rss|shmem-rss):(\d{1,15})kB")
_XID = re.compile(r"NVRM: Xid \((?:PCI:)?(?P<device>[\w:.]{4,40})\): (?P<code>\d{1,4})(?P<rest>.*)", re.DOTALL)
_XID_PID = re.compile(r"pid='?(\d{1,10})")
_XID_NAME = re.compile(r"name=([^,\s]{1,64})")
_SEGFAULT = re.compile(
    r"(?P<name>[^\[\]]{1,64})\[(?P<pid>\d{1,10})\](?::)? (?P<what>segfault|general protection fault|trap invalid opcode"
    r"|trap divide error|bad frame|bus error)(?P<rest>.*)"
)
_LIBRARY = re.compile(r" in ([^\s\[]{1,200})\[")
_BLOCKED = re.compile(r"INFO: task (?P<name>[^:]{1,64}):(?P<pid>\d{1,10}) (?:<[^>]*> )?blocked for more than")
_SERVER = re.compile(r"(?:nfs|lockd): server (?P<server>\S{1,200}) (?P<what>not responding|OK|is not responding)")
_LUSTRE = re.compile(
    r"Lustre(?:Error)?: .{0,300}?(?<![\w.-])(?P<server>[\w.-]{1,80}): Connection to \S{1,120} .{0,120}?\bwas lost"
)
_DEVICE = r"(?P<device>[\w!-]{1,40})"
_IO = (
    re.compile(rf"I/O error,? dev {_DEVICE},? sector"),
    re.compile(rf"critical (?:medium|target|space allocation) error, dev {_DEVICE}"),
    re.compile(rf"Buffer I/O error on dev(?:ice)? {_DEVICE}"),
    # A mount line of a healthy disk has "errors=remount-ro" in it.
    re.compile(rf"(?:EXT4-fs|EXT3-fs|F2FS-fs|BTRFS) (?:error|critical) \((?:device )?{_DEVICE}\)"),
    re.compile(
        rf"(?:EXT4-fs|XFS|JBD2|BTRFS)[^(]{{0,20}}\({_DEVICE}\): "
        r".{0,160}?(?:I/O error|[Cc]orruption|log error|[Ss]hutting down filesystem)"
    ),
    re.compile(
        r"nvme (?P<device>nvme\w{1,12}): (?:I/O .{0,60}timeout|controller is down|Device not ready|Abort status)"
    ),
)
_READ_ONLY = re.compile(rf"\({_DEVICE}\)?:? .{{0,40}}Remounting filesystem read-only|forced readonly", re.IGNORECASE)
_EDAC = re.compile(
    r"EDAC (?P<device>\w{1,20}): (?:\d{1,9} )?[CU]E\b|Uncorrected.{0,30}(?:hardware )?memory error"
    r"|Hardware Error\]: .{0,80}(?:memory|Uncorrected|Machine check)",
    re.IGNORECASE,
)
_RESET = re.compile(
    r"(?:amdgpu|xe|i915) (?P<device>[\w:.]{4,40}): .{0,40}?(?:GPU reset begin|GPU HANG|ring \S{1,40} timeout)"
)
_THROTTLED = re.compile(r"(?P<device>CPU\d{1,5}): (?:Core|Package) temperature.{0,20} above threshold")

# A message without any of these words says nothing here; most lines are passed over by this one look.
_WORTH = re.compile(
    r"oom-kill|[Kk]ill(?:ed)? process|Xid|segfault|protection fault|invalid opcode|divide error|bus error|blocked for"
    r"|responding| OK|Connection to|I/O |medium error|target error|EXT4-fs|BTRFS|XFS|F2FS|JBD2|nvme|ead-only|readonly"
    r"|EDAC|Hardware Error|ncorrected|GPU|timeout|temperature"
)


def events(lines: Iterable[str]) -> Iterator[KernelEvent]:
    """Every event in the order of the log; the lines of one kill for want of memory become one event."""
    pending: dict[int, KernelEvent] = {}
    for number, raw in enumerate(lines, 1):
        if not _WORTH.search(raw[:LONGEST]):
            continue
        when, uptime, text = _split(raw[:LONGEST].rstrip("\n"))
        event = _event(text)
        if event is None:
            continue
        event = replace(event, line=number, when=when, uptime=uptime)
        if event.kind != "oom-kill" or event.pid is None:
            yield event
        elif _OOM.search(text):
            # The line with the cgroup comes before the one with the sizes.
            if len(pending) >= MOST_PENDING:
                yield pending.pop(next(iter(pending)))
            pending[event.pid] = event
        else:
            first = pending.pop(event.pid, None)
            yield event if first is None else replace(event, cgroup=event.cgroup or first.cgroup)
    yield from pending.values()


def newest(found: Iterable[KernelEvent], most: int) -> tuple[tuple[KernelEvent, ...], int]:
    """The newest events and how many were left out; of many alike, as one device's errors, the first and last stay."""
    alike: dict[tuple[str, str, int | None], list[KernelEvent]] = {}
    count = 0
    for count, event in enumerate(found, 1):  # noqa: B007 - how many there were is asked below
        key = (event.kind, event.device, event.pid)
        # What was met last stands last, so that the first is what can be forgotten.
        same = alike[key] = alike.pop(key, [])
        if len(same) >= 4:
            same.pop()
        same.append(event)
        if len(alike) > most:
            del alike[next(iter(alike))]
    kept = sorted((event for same in alike.values() for event in same), key=lambda event: event.line)[-most:]
    return tuple(kept), count - len(kept)


def _split(line: str) -> tuple[str, float | None, str]:
    """The time of a line, the seconds since the machine's start, and the message."""
    for head in _HEADS:
        match = head.match(line)
        if match is not None:
            parts = match.groupdict()
            inner = _INNER.match(parts["text"])
            if inner is not None:
                return parts.get("when") or "", float(inner["uptime"]), inner["text"]
            micros = parts.get("micros")
            uptime = int(micros) / 1e6 if micros else float(parts["uptime"]) if parts.get("uptime") else None
            return parts.get("when") or "", uptime, parts["text"]
    return "", None, line


def _event(text: str) -> KernelEvent | None:
    return next((event for read in _READERS if (event := read(text)) is not None), None)


def _oom(text: str) -> KernelEvent | None:
    if _OOM.search(text):
        fields = dict(_OOM_FIELD.findall(text))
        pid = fields.get("pid", "")
        group = fields.get("oom_memcg", "")
        number = int(pid) if re.fullmatch(r"\d{1,10}", pid) else None
        return KernelEvent("oom-kill", text, 0, pid=number, process=fields.get("task", ""), cgroup=group)
    match = _KILLED.search(text)
    if match is None or not (match["scope"] or "rss:" in match["rest"] or "score" in match["rest"]):
        return None
    sizes = [int(number) * 1024 for _, number in _RESIDENT.findall(match["rest"])]
    return KernelEvent(
        "oom-kill", text, 0, pid=int(match["pid"]), process=match["name"], resident=sum(sizes) if sizes else None
    )


def _xid(text: str) -> KernelEvent | None:
    match = _XID.search(text)
    if match is None:
        return None
    pid, name = _XID_PID.search(match["rest"]), _XID_NAME.search(match["rest"])
    process = name[1] if name and not name[1].startswith("<") else ""
    number = int(pid[1]) if pid else None
    return KernelEvent("xid", text, 0, pid=number, process=process, device=match["device"], code=int(match["code"]))


def _segfault(text: str) -> KernelEvent | None:
    match = _SEGFAULT.search(text)
    if match is None:
        return None
    library = _LIBRARY.search(match["rest"])
    name = match["name"].removeprefix("traps:").strip()
    return KernelEvent("segfault", text, 0, pid=int(match["pid"]), process=name, device=library[1] if library else "")


def _blocked(text: str) -> KernelEvent | None:
    match = _BLOCKED.search(text)
    return match and KernelEvent("blocked", text, 0, pid=int(match["pid"]), process=match["name"])


def _server(text: str) -> KernelEvent | None:
    match = _SERVER.search(text)
    if match is not None:
        kind = "nfs-back" if match["what"] == "OK" else "nfs-stalled"
        return KernelEvent(kind, text, 0, device=match["server"].rstrip(","))
    lost = _LUSTRE.search(text)
    return lost and KernelEvent("nfs-stalled", text, 0, device=lost["server"])


def _storage(text: str) -> KernelEvent | None:
    match = _READ_ONLY.search(text)
    if match is not None:
        return KernelEvent("read-only", text, 0, device=match["device"] or "")
    for pattern in _IO:
        match = pattern.search(text)
        if match is not None:
            return KernelEvent("io-error", text, 0, device=match["device"])
    return None


def _hardware(text: str) -> KernelEvent | None:
    match = _EDAC.search(text)
    if match is not None:
        return KernelEvent("ecc", text, 0, device=match["device"] or "")
    match = _RESET.search(text)
    if match is not None:
        return KernelEvent("gpu-reset", text, 0, device=match["device"])
    match = _THROTTLED.search(text)
    return match and KernelEvent("throttled", text, 0, device=match["device"])


_READERS: tuple[Callable[[str], KernelEvent | None], ...] = (
    _oom, _xid, _segfault, _blocked, _server, _storage, _hardware,
)  # fmt: skip
