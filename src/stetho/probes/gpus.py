import glob
import os
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from stetho.amounts import size
from stetho.facts import Gpu, GpuProcess, Gpus
from stetho.probe import Example, Piece, Seen, Target, Unknown, probe
from stetho.procfs import text_of, whole
from stetho.tool import ask

FIELDS = (
    "index", "uuid", "name", "utilization.gpu", "memory.used", "memory.total", "temperature.gpu", "power.draw",
    "power.limit", "clocks_throttle_reasons.active", "ecc.errors.uncorrected.volatile.total", "driver_version",
)  # fmt: skip
MEGABYTE = 1024 * 1024
LOOKS, APART = 4, 0.3
# Bits of the driver's mask; idle clocks and clocks that somebody has set are no slowdown.
REASONS = {0x4: "sw-power", 0x8: "hw-slowdown", 0x20: "sw-thermal", 0x40: "hw-thermal", 0x80: "hw-power-brake"}
TWO = """0, GPU-5a1b, NVIDIA A100-SXM4-80GB, 0, 61234, 81920, 34, 71.52, 400.00, 0x0000000000000001, 0, 550.54.15
1, GPU-77c0, NVIDIA A100-SXM4-80GB, 98, 70211, 81920, 86, 399.11, 400.00, 0x0000000000000044, [N/A], 550.54.15
"""
USERS = "GPU-5a1b, 4711, 61220\nGPU-77c0, 4712, [N/A]\n"


def parse_gpus(text: str) -> tuple[tuple[str, Gpu], ...]:
    """What nvidia-smi prints for the fields above: each device with its UUID."""
    found = []
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.split(",")]
        index = whole(cells[0])
        if len(cells) != len(FIELDS) or index is None:
            continue
        used, total = whole(cells[4]), whole(cells[5])
        use = whole(cells[3])
        gpu = Gpu(
            index=index,
            name=cells[2],
            use=() if use is None else (use,),
            memory_used=None if used is None else used * MEGABYTE,
            memory_total=None if total is None else total * MEGABYTE,
            temperature=whole(cells[6]),
            power=_decimal(cells[7]),
            power_limit=_decimal(cells[8]),
            throttled=reasons(int(cells[9], 16)) if re.fullmatch(r"0x[0-9a-fA-F]{1,16}", cells[9]) else (),
            ecc_errors=whole(cells[10]),
        )
        found.append((cells[1], gpu))
    return tuple(found)


def parse_users(text: str) -> tuple[tuple[str, GpuProcess], ...]:
    """What nvidia-smi prints of processes: device, number, megabytes."""
    found = []
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.split(",")]
        pid = whole(cells[1]) if len(cells) == 3 else None
        if pid is not None:
            used = whole(cells[2])
            found.append((cells[0], GpuProcess(pid, None if used is None else used * MEGABYTE)))
    return tuple(found)


def reasons(mask: int) -> tuple[str, ...]:
    return tuple(name for bit, name in REASONS.items() if mask & bit)


def _decimal(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,6}(?:\.\d{1,6})?", text) else None


@probe(
    gives=Gpus,
    reads="NVML, else nvidia-smi --query-gpu and --query-compute-apps; /sys/class/drm for AMD",
    needs="pynvml (the extra `gpu`) or nvidia-smi",
    limit=2.1,
    instead="nvidia-smi -q -d UTILIZATION,MEMORY,TEMPERATURE,PERFORMANCE,ECC",
    examples={
        "one idle and held, one hot": Example(
            TWO,
            parse_gpus,
            (
                (
                    "GPU-5a1b",
                    Gpu(0, "NVIDIA A100-SXM4-80GB", (0,), 61234 * MEGABYTE, 81920 * MEGABYTE, 34, 71.52, 400.0, (), 0),
                ),
                (
                    "GPU-77c0",
                    Gpu(
                        1,
                        "NVIDIA A100-SXM4-80GB",
                        (98,),
                        70211 * MEGABYTE,
                        81920 * MEGABYTE,
                        86,
                        399.11,
                        400.0,
                        ("sw-power", "hw-thermal"),
                    ),
                ),
            ),
        ),
        "who uses them": Example(
            USERS,
            parse_users,
            (("GPU-5a1b", GpuProcess(4711, 61220 * MEGABYTE)), ("GPU-77c0", GpuProcess(4712))),
        ),
    },
)
def gpus(target: Target) -> Iterator[Piece]:
    """The accelerators: use over a second, memory, temperature, what slows them, and who holds them.

    ## What it reads
    The driver, through NVML where Python has it, else through nvidia-smi; AMD's through the kernel. Use is looked at
    several times, as a single look can fall between two steps.

    ## What it leaves
    Inside a container the processes have other numbers than the driver gives, so that they are not recognised.
    """
    found = _nvml() or _smi()
    if isinstance(found, Unknown):
        amd = _amd()
        if amd is not None:
            found = amd
        elif not os.path.exists("/dev/nvidiactl") and "not installed" in found.why:
            yield Seen(Gpus(()), "no accelerator is on this machine", "/dev/nvidiactl, nvidia-smi, /sys/class/drm")
            return
        else:
            yield found
            return
    fact, read = found
    mine = set(target.family) | {target.pid}
    marked = tuple(
        replace(gpu, processes=tuple(replace(one, ours=one.pid in mine) for one in gpu.processes)) for gpu in fact.gpus
    )
    fact = replace(fact, gpus=marked)
    busy = sum(max(gpu.use, default=0) > 5 for gpu in marked)
    yield Seen(fact, f"{len(marked)} devices, {busy} busy over {fact.watched:.1f} s", read, tuple(map(_line, marked)))


def _line(gpu: Gpu) -> str:
    use = f"{min(gpu.use)}-{max(gpu.use)} % busy" if gpu.use else "use unknown"
    parts = [use, f"{size(gpu.memory_used)} of {size(gpu.memory_total)}"]
    parts += [f"{gpu.temperature} °C"] * (gpu.temperature is not None)
    parts += [f"slowed by {', '.join(gpu.throttled)}"] * bool(gpu.throttled)
    held = ", ".join(f"{one.pid}{' (this run)' * one.ours}" for one in gpu.processes[:4])
    return f"{gpu.index} {gpu.name}: {', '.join(parts)}{', held by pid ' * bool(held)}{held}"


def _smi() -> tuple[Gpus, str] | Unknown:
    begun = time.monotonic()
    said = ask("nvidia-smi", f"--query-gpu={','.join(FIELDS)}", "--format=csv,noheader,nounits", limit=1.4)
    if not said.ok:
        return Unknown("accelerators", said.failure, gpus.instead, said.command)
    devices = parse_gpus(said.out)
    users = ask(
        "nvidia-smi", "--query-compute-apps=gpu_uuid,pid,used_memory", "--format=csv,noheader,nounits", limit=0.6
    )
    held = parse_users(users.out) if users.ok else ()
    uses = {uuid: [*gpu.use] for uuid, gpu in devices}
    while time.monotonic() - begun < 1.2:
        time.sleep(APART / 2)
        again = ask("nvidia-smi", "--query-gpu=uuid,utilization.gpu", "--format=csv,noheader,nounits", limit=0.6)
        for line in again.out.split("\n") if again.ok else ():
            uuid, _, use = (part.strip() for part in line.partition(","))
            if uuid in uses and (number := whole(use)) is not None:
                uses[uuid].append(number)
        if not again.ok:
            break
    driver = said.out.split("\n", 1)[0].rpartition(",")[2].strip()
    made = tuple(
        replace(gpu, use=tuple(uses[uuid]), processes=tuple(one for device, one in held if device == uuid))
        for uuid, gpu in devices
    )
    return Gpus(made, driver, round(time.monotonic() - begun, 2)), said.command


def _nvml() -> tuple[Gpus, str] | None:
    """The devices through NVML; None where it is not installed or does not answer."""
    try:
        import pynvml
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
        handles = [pynvml.nvmlDeviceGetHandleByIndex(n) for n in range(pynvml.nvmlDeviceGetCount())]
        begun = time.monotonic()
        uses: list[list[int]] = [[] for _ in handles]
        for look in range(LOOKS):
            time.sleep(APART if look else 0.0)
            for seen, handle in zip(uses, handles, strict=True):
                use = _asked(pynvml.nvmlDeviceGetUtilizationRates, handle)
                seen += [int(use.gpu)] if use is not None else []
        made = tuple(_device(pynvml, n, handle, tuple(uses[n])) for n, handle in enumerate(handles))
        driver = pynvml.nvmlSystemGetDriverVersion()
        named = driver.decode() if isinstance(driver, bytes) else str(driver)
        return Gpus(made, named, round(time.monotonic() - begun, 2)), "NVML"
    except (pynvml.NVMLError, AttributeError, ValueError):
        return None


def _device(nvml: Any, index: int, handle: Any, use: tuple[int, ...]) -> Gpu:
    name = _asked(nvml.nvmlDeviceGetName, handle) or "unknown"
    memory = _asked(nvml.nvmlDeviceGetMemoryInfo, handle)
    power, limit = (_asked(f, handle) for f in (nvml.nvmlDeviceGetPowerUsage, nvml.nvmlDeviceGetEnforcedPowerLimit))
    mask = _asked(nvml.nvmlDeviceGetCurrentClocksThrottleReasons, handle)
    errors = _asked(
        nvml.nvmlDeviceGetTotalEccErrors, handle, nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED, nvml.NVML_VOLATILE_ECC
    )
    users = _asked(nvml.nvmlDeviceGetComputeRunningProcesses, handle) or []
    return Gpu(
        index=index,
        name=name.decode() if isinstance(name, bytes) else str(name),
        use=use,
        memory_used=None if memory is None else int(memory.used),
        memory_total=None if memory is None else int(memory.total),
        temperature=_asked(nvml.nvmlDeviceGetTemperature, handle, nvml.NVML_TEMPERATURE_GPU),
        power=None if power is None else power / 1000,
        power_limit=None if limit is None else limit / 1000,
        throttled=reasons(mask or 0),
        ecc_errors=errors,
        processes=tuple(GpuProcess(int(one.pid), one.usedGpuMemory) for one in users),
    )


def _asked(function: Any, *arguments: Any) -> Any:
    """What NVML says; None for what this device does not support."""
    import pynvml

    try:
        return function(*arguments)
    except pynvml.NVMLError:
        return None


def _amd() -> tuple[Gpus, str] | None:
    """AMD's devices, from the files of their driver."""
    cards = [card for card in sorted(glob.glob("/sys/class/drm/card[0-9]*/device")) if "-" not in card.split("/")[4]]
    cards = [card for card in cards if text_of(f"{card}/gpu_busy_percent") is not None]
    if not cards:
        return None
    begun = time.monotonic()
    uses: list[list[int]] = [[] for _ in cards]
    for look in range(LOOKS):
        time.sleep(APART if look else 0.0)
        for seen, card in zip(uses, cards, strict=True):
            now = whole(text_of(f"{card}/gpu_busy_percent"))
            seen += [now] if now is not None else []
    made = []
    for number, (card, use) in enumerate(zip(cards, uses, strict=True)):
        used, total = (whole(text_of(f"{card}/mem_info_vram_{what}")) for what in ("used", "total"))
        made.append(Gpu(number, "AMD", tuple(use), used, total))
    return Gpus(
        tuple(made), "amdgpu", round(time.monotonic() - begun, 2)
    ), f"{cards[0]}/gpu_busy_percent, mem_info_vram_used"
