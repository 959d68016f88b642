"""How fast text logs are read, style by style, and how much memory that takes.

    python bench/text_logs.py [--size 300] [--styles tqdm,megatron]

Each log is made as its program would write it, and read in a process of its own, by one core. In the same process and
right after it, the log is read and cut into lines and nothing else, which is the least that any reader does: on a
loaded machine, look at the ratio.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

Lines = Iterator[str]


def falling(step: int) -> float:
    """A loss as it falls, with noise."""
    return 2.0 + 8.0 / (1 + step / 500) + random.gauss(0, 0.05)


def clock(step: int) -> str:
    return f"{step // 3600 % 24:02d}:{step // 60 % 60:02d}:{step % 60:02d}"


def tqdm() -> Lines:
    total = 100_000
    step = 0
    while True:
        step = (step + 7) % total
        done = step / total
        full, part = divmod(int(done * 80), 8)
        bar = "█" * full + (" ▏▎▍▌▋▊▉"[part] if part else "") + " " * (10 - full - bool(part))
        yield (
            f"\rEpoch 3:  {done:4.0%}|{bar}| {step}/{total} [{step // 600:02d}:{step // 10 % 60:02d}<"
            f"{(total - step) // 600:02d}:{step % 60:02d}, {random.gauss(10, 0.3):.2f}it/s, loss={falling(step):.3f}]"
        )


def hugging_face() -> Lines:
    step = 0
    while True:
        step += 1
        rate = 5e-5 * (1 - step / 1e7)
        yield (
            f"{{'loss': {falling(step):.4f}, 'grad_norm': {random.expovariate(1):.16g}, "
            f"'learning_rate': {rate:.16g}, 'epoch': {step / 1000:.2f}}}\n"
        )


def nano_gpt() -> Lines:
    step = 0
    while True:
        if step % 200 == 0:
            yield f"step {step}: train loss {falling(step):.4f}, val loss {falling(step):.4f}\n"
            yield "saving checkpoint to out-shakespeare-char\n"
        spent, use = random.gauss(120, 5), random.gauss(12, 1)
        yield f"iter {step}: loss {falling(step):.4f}, time {spent:.2f}ms, mfu {use:.2f}%\n"
        step += 1


def keras() -> Lines:
    epoch = 0
    while True:
        epoch += 1
        yield f"Epoch {epoch}/10000\n"
        for step in range(1, 1001):
            bar = "━" * (step // 50) + "━" * (20 - step // 50)
            yield (
                f"\r\x1b[1m{step:4d}/1000\x1b[0m \x1b[32m{bar}\x1b[0m\x1b[37m\x1b[0m \x1b[1m{step // 50}s\x1b[0m "
                f"20ms/step - accuracy: {1 - falling(step) / 12:.4f} - loss: {falling(step):.4f}"
            )
        yield f" - val_accuracy: {random.random():.4f} - val_loss: {falling(epoch):.4f}\n"


def megatron() -> Lines:
    step = 0
    while True:
        step += 1
        yield (
            f" [2024-05-01 {clock(step)}] iteration {step:8d}/  500000 | "
            f"consumed samples: {step * 256:12d} | elapsed time per iteration (ms): {random.gauss(812, 9):.1f} | "
            f"learning rate: {1.5e-4:.6E} | global batch size:   256 | lm loss: {falling(step):.6E} | "
            f"loss scale: 1.0 | grad norm: {random.expovariate(1):.3f} | "
            f"number of skipped iterations:   0 | number of nan iterations:   0 |\n"
        )


def torchtitan() -> Lines:
    step = 0
    while True:
        step += 1
        yield (
            f"[titan] 2024-05-01 {clock(step)},{step % 1000:03d} - root - "
            f"INFO - \x1b[31mstep: {step:2d}  \x1b[32mloss: {falling(step):7.4f}  \x1b[38;2;180;60;0mgrad_norm: "
            f"{random.expovariate(1):7.4f}  \x1b[33mmemory: 45.21GiB(47.54%)  "
            f"\x1b[34mtps: {random.randint(5000, 7000):,}  \x1b[36mtflops: {random.gauss(200, 5):,.2f}  "
            f"\x1b[35mmfu: {random.gauss(40, 1):.2f}%\x1b[39m\n"
        )


def key_value() -> Lines:
    step = 0
    while True:
        step += 1
        stamp = f"2024-05-01T{clock(step)}.{step % 1000:03d}Z"
        yield (
            f"{stamp} level=INFO logger=trainer step={step} epoch={step // 1000} loss={falling(step):.5f} "
            f"lr={1e-4 / (1 + step):.3e} grad_norm={random.expovariate(1):.4f} "
            f"tokens_per_second={random.randint(9000, 20000)}\n"
        )


def ranks() -> Lines:
    step = 0
    while True:
        step += 1
        for rank in random.sample(range(8), 8):
            yield (
                f"[rank{rank}]: 2024-05-01 12:{step // 60 % 60:02d}:{step % 60:02d},123 INFO train: step {step} "
                f"loss {falling(step):.4f} grad_norm {random.expovariate(1):.3f} lr {1e-4:.2e}\n"
            )


def tables() -> Lines:
    step = 0
    rows = ("ep_len_mean", "ep_rew_mean"), ("fps", "iterations", "time_elapsed", "total_timesteps")
    learned = ("approx_kl", "clip_fraction", "entropy_loss", "explained_variance", "learning_rate", "loss")
    while True:
        step += 1
        yield "-" * 41 + "\n"
        yield f"| {'rollout/':<24}| {'':<12}|\n"
        for name in rows[0]:
            yield f"|    {name:<21}| {random.gauss(100, 20):<12.4g}|\n"
        yield f"| {'time/':<24}| {'':<12}|\n"
        for name, value in zip(rows[1], (900, step, step * 2, step * 2048), strict=True):
            yield f"|    {name:<21}| {value:<12}|\n"
        yield f"| {'train/':<24}| {'':<12}|\n"
        for name in learned:
            yield f"|    {name:<21}| {random.gauss(0, 0.5):<12.4g}|\n"
        yield "-" * 41 + "\n"


def boosting() -> Lines:
    step = 0
    while True:
        yield f"[{step}]\tvalidation_0-rmse:{falling(step):.5f}\tvalidation_1-rmse:{falling(step):.5f}\n"
        step += 1


def mixed() -> Lines:
    """A long fine-tune: bars, dictionaries, warnings, checkpoints, samples of generated text."""
    bars, logs = tqdm(), hugging_face()
    words = ("the", "a", "model", "of", "and", "train", "token", "layer", "is", "in", "to", "over", "new", "old")
    step = 0
    while True:
        step += 1
        yield next(bars)
        if step % 10 == 0:
            yield "\n" + next(logs)
        if step % 200 == 0:
            yield "/opt/lib/python3.11/site-packages/torch/utils/checkpoint.py:92: UserWarning: None of the inputs\n"
            yield "  warnings.warn(\n"
        if step % 500 == 0:
            yield f"Saving model checkpoint to out/checkpoint-{step}\n"
            for _ in range(10):
                yield " ".join(random.choices(words, k=14)) + "\n"


STYLES: dict[str, Callable[[], Lines]] = {
    "tqdm": tqdm,
    "Hugging Face": hugging_face,
    "nanoGPT": nano_gpt,
    "Keras": keras,
    "Megatron": megatron,
    "torchtitan in colours": torchtitan,
    "key=value": key_value,
    "8 ranks interleaved": ranks,
    "Stable-Baselines3": tables,
    "XGBoost": boosting,
    "mixed": mixed,
}


def write(style: str, size: int, path: Path) -> None:
    """A log of a style; a part of it is made line by line, and repeated until it is long enough."""
    random.seed(7)
    lines, part, held = STYLES[style](), [], 0
    for line in lines:
        part.append(line)
        held += len(line)
        if held >= min(size, 24 << 20):
            break
    block = "".join(part).encode()
    with path.open("wb") as out:
        for _ in range(max(1, round(size / len(block)))):
            out.write(block)


def measure(path: Path) -> None:
    """Read one log in this process, and say what it took."""
    from stetho import catalogue
    from stetho.text import assembly, log, telling

    phrases = tuple(catalogue.load().phrases.values())
    with path.open("rb") as handle:
        start = time.process_time()
        read = log.read(handle, phrases)
        series = list(assembly.series(read, str(path)))
        list(telling.readings(read, series))
        seconds = time.process_time() - start
    with path.open("rb") as handle:
        start = time.process_time()
        while part := handle.read(1 << 21):
            part.split(b"\n")
        least = time.process_time() - start
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
    points = sum(stream.count for stream in read.streams)
    size = path.stat().st_size / 1e6
    print(f"{size / seconds:.0f} {seconds:.2f} {seconds / least:.0f} {peak:.0f} {read.frames} {points} {len(series)}")


def table(styles: Sequence[str], size: int) -> Iterator[str]:
    """The rows of the table, one style after the other."""
    yield "| style | MB/s of one core | seconds | times cutting into lines | peak memory, MB | lines and frames |"
    yield "|---|---|---|---|---|---|"
    for style in styles:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "train.log"
            write(style, size * 1_000_000, path)
            command = [sys.executable, __file__, "--measure", str(path)]
            answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        speed, seconds, ratio, peak, frames, *_ = answer
        yield f"| {style} | {speed} | {seconds} | {ratio} | {peak} | {int(frames):,} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=300, help="megabytes of each log")
    parser.add_argument("--styles", default=",".join(STYLES))
    parser.add_argument("--measure", type=Path)
    chosen = parser.parse_args()
    if chosen.measure is not None:
        measure(chosen.measure)
        return
    for row in table(chosen.styles.split(","), chosen.size):
        print(row, flush=True)


if __name__ == "__main__":
    main()
