"""Curves as runs log them, healthy and not, from a seeded generator: what they are of is in their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from stetho.series import Series

Random: TypeAlias = np.random.Generator
Logged: TypeAlias = dict[str, Any]
"""Values by name; `_epochs` holds the epoch of each point, `_settings` what was configured."""


def series_of(logged: Mapping[str, Any]) -> list[tuple[str, Series]]:
    epochs = logged.get("_epochs")
    made = []
    for name, values in logged.items():
        if not name.startswith("_"):
            array = np.asarray(values, float)
            fits = epochs is not None and len(epochs) == len(array)
            lines = np.arange(1, len(array) + 1)
            made.append(Series(name, array, "log", lines - 1, epochs if fits else None, at=lines))
    return [("csv", one) for one in made]


def length(rng: Random, low: int = 20, high: int = 20_000) -> int:
    return int(np.exp(rng.uniform(np.log(low), np.log(high))))


def falling(rng: Random, count: int, floor: float = 0.3) -> Any:
    """A fall from a usual start to a floor that is a share of it, in one of several shapes."""
    start, share = rng.choice([0.7, 2.3, 4.6, 10.8, 300.0]), floor * rng.uniform(0.2, 1.3)
    along = np.arange(count) / count
    shape = rng.integers(3)
    if shape == 0:
        fall = np.exp(-along * rng.uniform(4, 20))
    elif shape == 1:
        fall = (1 + along * rng.uniform(50, 2000)) ** -rng.uniform(0.4, 0.9)
    else:
        fall = 1 / (1 + np.exp((along - rng.uniform(0.1, 0.6)) * 15))
    return start * (share + (1 - share) * fall)


def noisy(rng: Random, level: Any, *, most: float = 0.3) -> Any:
    """Noise in proportion to the level, even or with heavy tails, and sometimes with a memory."""
    amount, kind = rng.uniform(0.005, most), rng.integers(3)
    count = len(level)
    noise = rng.standard_normal(count) if kind == 0 else np.clip(rng.standard_t(3, count), -50, 50) * 0.6
    if kind == 2 and count < 50_000:
        keep = rng.uniform(0.2, 0.9)
        for at in range(1, count):
            noise[at] = keep * noise[at - 1] + np.sqrt(1 - keep**2) * noise[at]
    return level * np.exp(amount * np.clip(noise, -8, 8))


# --- healthy -------------------------------------------------------------------------------------------------


def plain(rng: Random) -> Logged:
    return {"train_loss": noisy(rng, falling(rng, length(rng)))}


def one_sample(rng: Random) -> Logged:
    count = length(rng, 200)
    return {"loss": falling(rng, count) * rng.gamma(rng.uniform(1, 3), 0.6, count)}


def rare_spikes(rng: Random) -> Logged:
    level = noisy(rng, falling(rng, length(rng, 200)), most=0.1)
    at = rng.choice(len(level), rng.integers(1, 8))
    level[at] *= rng.uniform(3, 30, len(at))
    return {"loss": level}


def schedule(rng: Random) -> Logged:
    count = length(rng, 50)
    along = np.arange(count) / count
    warm, kind = rng.uniform(0.01, 0.2), rng.integers(4)
    rate = [
        np.cos(along * np.pi / 2) ** 2, 1 - along, 0.1 ** np.floor(along * 3), np.ones(count),
    ][kind] * np.minimum(1, (along + 1e-6) / warm) * rng.choice([1.0, 0.1, 3e-4])  # fmt: skip
    loss = noisy(rng, falling(rng, count))
    if kind == 2:
        loss *= 0.7 ** np.floor(along * 3)
    return {"loss": loss, "learning_rate": rate}


def restarts(rng: Random) -> Logged:
    count, cycles = length(rng, 300), rng.integers(3, 12)
    along = np.arange(count) / count
    inside = (along * cycles) % 1
    rate = np.cos(inside * np.pi / 2) ** 2 * 0.1
    loss = noisy(rng, falling(rng, count) * (1 + rng.uniform(0.1, 1.2) * (1 - inside) ** 3), most=0.08)
    return {"loss": loss, "lr": rate} if rng.random() < 0.6 else {"loss": loss}


def two_players(rng: Random) -> Logged:
    count = length(rng)
    wave = 1 + 0.3 * np.sin(np.arange(count) / rng.uniform(3, 100))
    return {"d_loss": noisy(rng, 1.2 * wave), "g_loss": noisy(rng, 1.5 / wave * np.linspace(1, 3, count))}


def agent(rng: Random) -> Logged:
    count = length(rng, 40, 3000)
    along = np.arange(count) / count
    rise = 1 / (1 + np.exp(-(along - rng.uniform(0.1, 0.6)) * 12)) * rng.choice([1, 1, 1, 0.3])
    rewards = rng.choice([20.0, 500.0, 5000.0]) * (0.05 + rise)
    entropy = 1.4 * (1 - rng.uniform(0.3, 0.99) * rise / max(rise.max(), 0.5))
    return {
        "rollout/ep_rew_mean": noisy(rng, rewards), "train/entropy_loss": -noisy(rng, entropy, most=0.05),
        "train/value_loss": noisy(rng, 3 + rewards**1.2), "train/policy_gradient_loss": rng.normal(0, 0.01, count),
        "train/explained_variance": np.clip(rise + rng.normal(0, 0.05, count), -1, 1),
    }  # fmt: skip


def negative(rng: Random) -> Logged:
    level = falling(rng, length(rng))
    return {"nll": level - rng.uniform(0.4, 1.5) * level[0] + rng.normal(0, 0.02 * level[0], len(level))}


def annealed(rng: Random) -> Logged:
    count = length(rng, 100)
    along = np.arange(count) / count
    weight = np.minimum(1, along / rng.uniform(0.3, 0.9))
    divergence = rng.uniform(0.05, 0.3) * (1 - np.exp(-along * 10))
    return {"loss": noisy(rng, 0.2 + 0.8 * np.exp(-along * 12) + weight * divergence, most=0.05), "kl": divergence}


def late_start(rng: Random) -> Logged:
    count = length(rng, 60, 5000)
    along = np.arange(count) / count
    begins = rng.uniform(0.3, 0.85)
    level = 4.2 * (0.1 + 0.9 / (1 + np.exp((along - begins) * 60)))
    return {"loss": noisy(rng, level, most=0.1), "lr": np.minimum(1, along / begins) ** 2 * 1e-3}


def grokking(rng: Random) -> Logged:
    count = length(rng, 100, 3000)
    along = np.arange(count) / count
    begins = rng.uniform(0.5, 0.9)
    held = 1 / (1 + np.exp(-(along - begins) * 50))
    return {
        "train_loss": noisy(rng, 0.001 + 4 * np.exp(-along * 60)), "train_acc": np.minimum(1, along * 20 + 0.01),
        "val_acc": 0.01 + 0.98 * held,
    }  # fmt: skip


def diffusion(rng: Random) -> Logged:
    count = length(rng, 200)
    level = 0.04 + np.exp(-np.arange(count) / count * rng.uniform(30, 200))
    return {"train_loss": level * np.exp(rng.normal(0, rng.uniform(0.3, 0.8), count))}


def tuned(rng: Random) -> Logged:
    """A fine-tune that begins well and gains a little."""
    count = length(rng, 60, 3000)
    along = np.arange(count) / count
    gain = rng.uniform(0.08, 0.5)
    level = rng.uniform(0.3, 2.5) * (1 - gain * (1 - np.exp(-along * rng.uniform(2, 10))))
    return {"loss": noisy(rng, level, most=0.12), "learning_rate": 2e-5 * (1 - along)}


def continued(rng: Random) -> Logged:
    """Training that goes on from trained weights: it gains a few percent, beyond its noise."""
    count = length(rng, 300, 5000)
    along = np.arange(count) / count
    gain, noise = rng.uniform(0.012, 0.06), rng.uniform(0.005, 0.05)
    return {"loss": rng.uniform(1.5, 3) * (1 - gain * along**0.6) * np.exp(rng.normal(0, noise, count))}


def by_epochs(rng: Random) -> Logged:
    """One point an epoch, with validation: it flattens, or turns a little."""
    count = int(rng.integers(6, 120))
    along = np.arange(count) / count
    train = falling(rng, count, 0.15)
    held = np.maximum(train, train[0] * rng.uniform(0.2, 0.5)) * (1 + rng.uniform(0, 0.1) * along)
    score = 0.9 * (1 - 0.9 * np.exp(-along * 8)) + rng.normal(0, 0.005, count)
    return {
        "train_loss": noisy(rng, train, most=0.03), "val_loss": noisy(rng, held, most=0.04), "val_acc": score,
        "train_acc": np.minimum(1, score + 0.05 * along),
    }  # fmt: skip


def easy(rng: Random) -> Logged:
    count = int(rng.integers(5, 40))
    along = np.arange(count) + 1.0
    return {
        "train_loss": noisy(rng, 0.35 / along), "val_loss": noisy(rng, 0.05 / along**0.3, most=0.05),
        "val_accuracy": 100 - 1.6 / along**0.5 + rng.normal(0, 0.03, count),
    }  # fmt: skip


def last_batch(rng: Random) -> Logged:
    """The last batch of each epoch holds few samples."""
    batches, epochs = int(rng.integers(20, 200)), int(rng.integers(4, 30))
    level = noisy(rng, falling(rng, batches * epochs), most=0.1)
    level[batches - 1 :: batches] *= rng.gamma(1.5, 0.67, epochs)
    return {"loss": level, "_epochs": np.repeat(np.arange(epochs, dtype=float), batches)}


def stairs(rng: Random) -> Logged:
    """Epochs over a small corpus: the loss steps down where one begins."""
    batches, epochs = int(rng.integers(30, 300)), int(rng.integers(3, 8))
    level = np.repeat(1.4 * rng.uniform(0.55, 0.85) ** np.arange(epochs), batches)
    return {
        "loss": noisy(rng, level, most=0.15), "_epochs": np.arange(batches * epochs) / batches,
        "learning_rate": np.linspace(2e-5, 0, batches * epochs),
    }  # fmt: skip


def tasks(rng: Random) -> Logged:
    """One task after the other, each learned in turn."""
    each = [falling(rng, length(rng, 100, 1000), 0.1) for _ in range(int(rng.integers(2, 5)))]
    return {"loss": noisy(rng, np.concatenate([one / one[0] * 2.3 for one in each]), most=0.1)}


def rate_on_plateau(rng: Random) -> Logged:
    """The rate is taken down in steps after the loss has stopped, and the run idles on."""
    count = int(rng.integers(60, 300))
    along = np.arange(count)
    level = 2.3 * (0.1 + 0.9 * np.exp(-along / (0.05 * count)))
    cuts = np.floor(np.maximum(0, along - 0.35 * count) / (0.04 * count))
    return {
        "train_loss": noisy(rng, level * 0.93 ** np.minimum(cuts, 2), most=0.03),
        "lr": 0.1 * 0.1 ** np.minimum(cuts, 6),
    }


def layered(rng: Random) -> Logged:
    count, depth = int(rng.integers(30, 200)), int(rng.integers(4, 24))
    norms = {f"grad_norm/layer{i}": noisy(rng, np.full(count, 0.3 * 1.3 ** -float(i))) for i in range(depth)}
    return {"loss": noisy(rng, falling(rng, count)), **norms}


def cyclic_rate(rng: Random) -> Logged:
    """The rate goes up and down, the loss with it, and the run may end where both are high."""
    count, cycles = length(rng, 60, 3000), rng.uniform(1, 7)
    wave = 1 - np.abs((np.arange(count) / count * cycles % 1) * 2 - 1)
    loss = noisy(rng, falling(rng, count) * (1 + rng.uniform(0.1, 1.0) * wave), most=0.08)
    return {"loss": loss, "lr": 0.001 + 0.01 * wave} if rng.random() < 0.5 else {"loss": loss}


def tiny_loss(rng: Random) -> Logged:
    """Learned to almost nothing, with bursts that recover, or that the run ends in."""
    count = length(rng, 60, 2000)
    level = 2.3 * 10 ** (-np.linspace(0, rng.uniform(2, 7), count))
    for _ in range(int(rng.integers(1, 6))):
        burst = np.exp(np.linspace(0, rng.uniform(1, 5), int(rng.integers(5, 30))))
        at = int(rng.integers(0, count))
        level[at : at + len(burst)] *= burst[: count - at]
    return {"loss": noisy(rng, level, most=0.1)}


def rate_search(rng: Random) -> Logged:
    """A search for the highest rate that works: it ends where the loss diverges, as it is meant to."""
    along = np.linspace(0, 1, int(rng.integers(50, 300)))
    level = 2.3 - 1.2 * along + np.exp((along - 0.8) * 20)
    return {"loss": noisy(rng, level, most=0.05), "lr": 1e-7 * 10 ** (along * rng.uniform(5, 8))}


def harder_samples(rng: Random) -> Logged:
    count = length(rng, 40, 3000)
    harder = 1 + rng.uniform(0, 0.6) * np.arange(count) / count
    return {"loss": noisy(rng, falling(rng, count) * harder, most=0.1)}


HEALTHY: tuple[Callable[[Random], Logged], ...] = (
    plain, one_sample, rare_spikes, schedule, restarts, two_players, agent, negative, annealed, late_start, grokking,
    diffusion, tuned, continued, by_epochs, easy, last_batch, stairs, tasks, rate_on_plateau, layered,
    cyclic_rate, tiny_loss, rate_search, harder_samples,
)  # fmt: skip


# --- faulty --------------------------------------------------------------------------------------------------


def flat(rng: Random) -> Logged:
    count = length(rng, 60)
    level = np.full(count, rng.choice([0.693, 2.303, 4.605, 6.9]))
    return {"loss": level * np.exp(rng.normal(0, rng.uniform(0.002, 0.03), count))}


def plateau(rng: Random) -> Logged:
    count = int(rng.integers(30, 200))
    fall = np.exp(-np.arange(count) / rng.uniform(1, 0.06 * count + 1))
    top = rng.uniform(0.15, 0.45)
    scale = rng.choice([1, 100])
    return {
        "epoch_loss": 2.5 + 2 * fall + rng.normal(0, 0.01, count),
        "train_accuracy": scale * (top * (1 - 0.95 * fall) + rng.normal(0, 0.003, count)),
    }  # fmt: skip


def rate_gone(rng: Random) -> Logged:
    """The rate ends early, the loss is on its way."""
    count = length(rng, 200, 5000)
    gone = int(count * rng.uniform(0.04, 0.25))
    kind = rng.integers(3)
    along = np.arange(count) / gone
    rate = [np.maximum(0, 1 - along), 1e-4**along, 0.5 ** np.floor(along * 14)][kind] * rng.choice([0.1, 1e-3])
    # What is learned is the rate that was spent.
    spent = np.cumsum(rate) / np.sum(rate)
    level = rng.choice([2.3, 4.6, 9.0]) * (1 - rng.uniform(0.15, 0.5) * spent)
    return {"loss": level * np.exp(rng.normal(0, rng.uniform(0.003, 0.02), count)), "lr": rate}


def overshooting(rng: Random) -> Logged:
    count = length(rng, 60, 5000)
    sign = (-1.0) ** np.arange(count) if rng.random() < 0.5 else np.sin(np.arange(count) * rng.uniform(0.6, 2.5))
    return {"train/loss": 2.4 * np.exp(rng.uniform(0.4, 0.9) * sign + rng.normal(0, 0.15, count))}


def outlier_batch(rng: Random) -> Logged:
    batches, epochs = int(rng.integers(20, 300)), int(rng.integers(4, 30))
    level = noisy(rng, falling(rng, batches * epochs), most=0.1)
    at = int(rng.integers(0, batches))
    level[at::batches] *= rng.uniform(3, 20, epochs)
    known = rng.random() < 0.7
    return {"loss": level, **({"_epochs": np.repeat(np.arange(epochs, dtype=float), batches)} if known else {})}


def sorted_samples(rng: Random) -> Logged:
    classes, each, epochs = int(rng.integers(4, 20)), int(rng.integers(8, 60)), int(rng.integers(2, 6))
    one = rng.uniform(2, 4) * 2.3 * np.exp(-np.arange(each) / (0.12 * each))
    level = np.tile(one, classes * epochs)
    level[:each] *= 2.3 / level[0]
    return {"loss": np.maximum(1e-3, level * np.exp(rng.normal(0, 0.2, len(level))))}


def by_heart(rng: Random) -> Logged:
    count = int(rng.integers(12, 150))
    along = np.arange(count) / count
    train = 2.3 * np.exp(-along * 6)
    turn = rng.uniform(0.1, 0.5)
    held = np.maximum(train, 2.3 * np.exp(-turn * 6)) * (1 + np.maximum(0, along - turn) * rng.uniform(1.5, 4))
    return {"loss": noisy(rng, train, most=0.03), "val_loss": noisy(rng, held, most=0.03)}


def one_class(rng: Random) -> Logged:
    count, share = int(rng.integers(10, 100)), float(np.round(rng.uniform(0.75, 0.995), 3))
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
    return {
        "train_loss": entropy * (1 + np.exp(-np.arange(count) / 2)) * np.exp(rng.normal(0, 0.005, count)),
        "val_accuracy": np.full(count, share * rng.choice([1, 100])),
    }  # fmt: skip


def starved(rng: Random) -> Logged:
    count, depth = int(rng.integers(30, 200)), int(rng.integers(6, 30))
    step = 10 ** (rng.uniform(6, 12) / depth)
    norms = {
        f"grads/blocks.{i}.weight_norm": noisy(rng, np.full(count, 0.3 * step ** -float(depth - 1 - i)))
        for i in range(depth)
    }
    return {"loss": 2.303 * np.exp(rng.normal(0, 0.003, count)), **norms}


def lost(rng: Random) -> Logged:
    level = falling(rng, length(rng, 100, 5000), 0.2)
    stay = np.full(int(len(level) * rng.uniform(0.15, 1)), level[0] * rng.uniform(0.97, 1.1))
    return {"loss": noisy(rng, np.concatenate([level, stay]), most=0.04)}


def diverges_late(rng: Random) -> Logged:
    """Learns, and from some point on climbs to the end."""
    count = length(rng, 25, 5000)
    turn = int(count * rng.uniform(0.4, 0.85))
    climb = np.exp(rng.uniform(8, 14) * np.maximum(0, np.arange(count) - turn) / count)
    return {"loss": noisy(rng, falling(rng, count) * climb, most=0.06)}


def rises_throughout(rng: Random) -> Logged:
    count = length(rng, 25, 5000)
    level = rng.choice([0.7, 2.3, 9.0]) * (1 + rng.uniform(1, 4) * np.arange(count) / count)
    return {"train_nll": noisy(rng, level, most=0.05)}


def parts_from_validation(rng: Random) -> Logged:
    """Training falls to nothing, and validation climbs by a quarter, slower and slower."""
    count = int(rng.integers(30, 150))
    along = np.arange(count) / count
    held = 1.5 + 0.3 * np.exp(-along * 40) + rng.uniform(0.45, 0.6) * (1 - np.exp(-along * 3))
    return {"train-logloss": 1.4 * np.exp(-along * 5), "test-logloss": held * np.exp(rng.normal(0, 0.002, count))}


def no_exploration(rng: Random) -> Logged:
    count = int(rng.integers(40, 500))
    along = np.arange(count) / count
    return {
        "episode_reward": noisy(rng, np.full(count, 21.0), most=0.1),
        "policy_entropy": 1.4 * np.exp(-along / rng.uniform(0.02, 0.1)) + 0.005,
    }  # fmt: skip


def at_once(rng: Random) -> Logged:
    count = int(rng.integers(4, 30))
    along = np.arange(count) + 1.0
    return {
        "train_loss": 0.03 / along, "valid_loss": 0.008 / along,
        "valid_auc": 1 - rng.uniform(5e-5, 4e-4) / along,
    }  # fmt: skip


FAULTY: dict[Callable[[Random], Logged], tuple[str, ...]] = {
    flat: ("loss-flat",),
    plateau: ("metric-stuck",),
    rate_gone: ("loss-slow",),
    overshooting: ("loss-oscillating",),
    outlier_batch: ("loss-spike",),
    sorted_samples: ("loss-spike", "loss-oscillating"),
    by_heart: ("overfitting",),
    one_class: ("metric-stuck",),
    starved: ("gradients-vanishing",),
    lost: ("loss-spike",),
    diverges_late: ("loss-diverging",),
    rises_throughout: ("loss-diverging",),
    parts_from_validation: ("overfitting",),
    no_exploration: ("metric-stuck",),
    at_once: ("too-good",),
}
