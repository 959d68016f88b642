"""The vocabulary of logs: which names are steps, epochs and times, which are measures, and which are neither."""

from __future__ import annotations

import re
from functools import lru_cache

STEPS = frozenset(
    b"""step global_step globalstep iter iters iteration iterations it itr batch update updates num_updates
    timestep timesteps total_timesteps train_step train/step trainer/global_step episode round tick
    batch_idx n_iter current_iter env_step micro_step up. step_num
    minibatch mini-batch generation gen global_steps _step""".split()
) | {
    b"global step",
    b"training step",
    b"train step",
    b"optimizer step",
    b"boosting round",
    b"train iter",
}
# Where a line has several, the one that counts over the whole run.
GLOBAL = frozenset(
    (b"global_step", b"global step", b"trainer/global_step", b"total_timesteps", b"num_updates", b"_step")
)
EPOCHS = frozenset(b"epoch ep ep. train/epoch epoch_num".split()) | {
    b"train epoch",
    b"training epoch",
    b"current epoch",
    b"eval epoch",
}
STAMPS = frozenset((b"timestamp", b"_timestamp", b"wall_time", b"walltime", b"unix_time", b"ts"))

# A name says a measure when one of its parts is one of these; 0 stands for any digits.
RESULTS = frozenset(
    b"""loss losses nll ce bce mse mae rmse rmsle mape smape r0 acc accuracy accu top0 prec0 err error errors
    precision recall f0 fscore auc auroc auprc map map0 ap ap0 iou miou dice bleu rouge rouge0 meteor cider wer cer
    ppl perplexity bpb bpc elbo kl kld entropy reward rewards return returns score rew psnr ssim fid lpips logloss
    l0 ndcg mrr hits hit correlation spearman pearson r0score metric fitness objective cost variance
    mlogloss merror error_rate loss0 acc0 win_rate winrate success_rate""".split()
) | {
    word.encode()
    for word in ("损失", "准确率", "精度", "损失值", "損失", "精度", "正解率", "손실", "정확도", "perte", "verlust")
}
MEASURES = (
    RESULTS
    | frozenset(
        b"""lr learning_rate grad gradient norm gnorm gradnorm grad_norm mfu hfu tps wps ups tgs throughput speed fps
    sps ips tflops mem memory max_mem loss_scale scale temperature tau beta epsilon time data_time wait dt
    ms/batch clip
    momentum mom wd margin margins logps kl_coef""".split()
    )
    | {b"learning rate"}
)
COUNTS = frozenset(
    b"""size sizes version port pid ppid seed rank ranks world node nodes gpu gpus device devices cuda cpu cpus param
    params parameters count counts num number worker workers thread threads layer layers head heads dim dims hidden
    vocab shape shapes eta remaining line lineno job jobid task process processes exit exitcode code errno signal
    address host hostname localhost ip year month day file files sample samples example examples image images token
    tokens byte bytes second seconds left total uid id ids index idx offset capacity limit budget patience level
    attempt retry retries restart restarts max_steps total_steps max_epochs
    epochs steps episodes batchsize t length len width height batches
    interval every at of in to from for with by until after before took and or the is was eta_seconds mhz
    world_size batch_size bsz wpb skipped wall train_wall v_num adj""".split()
)
COUNTING = re.compile(rb"^(?:num|n|number|max_len|total_num|nb)[_ ]|batch[_ ]size|world[_ ]size|seq(?:uence)?[_ ]len")
RATE = re.compile(rb"per|/s|/sec")
PER_SECOND = re.compile(rb"(?:per[_ ]|/)s(?:ec(?:ond)?)?$")
VALIDATION = re.compile(
    rb"(?:^|[^a-z/])(?:(?:val|valid|validation|validating|eval|evaluation|evaluating|test|testing|dev)(?![a-z/]|\.[a-z])"
    rb"|cv(?![a-z0]))"
)
TRAINING = re.compile(rb"train(?!er|\.py|/)")
# Seconds since 1970 or since the start, before everything else that a line says: `1714556400.123 `, `[  123.456789] `.
SECONDS = re.compile(
    rb" ?(?:\[ ?(0\.0)\]|(0(?:\.0)?)(?= [A-Za-z\[{])|\[(0)\](?= .{0,80}\b(?:step|iter|iteration|epoch)\b))"
)
# Not names, but what numbers are counted in.
UNITS = frozenset(b"s ms us sec secs min mins hrs".split())
# A name that says only whose number it is: `test: 0.68`. It is a measure when it has decimals.
PHASES = frozenset(b"learn train training trn test valid validation val eval dev".split())
_VALIDATING = frozenset(b"test testing valid validation val eval evaluation dev cv".split())
_PARTS = re.compile(rb"[_ ./:()\[\]@'+-]+")
_CAMEL = re.compile(rb"(?<=[a-z])(?=[A-Z])")


def parts(name: bytes) -> list[bytes]:
    return [part for part in _PARTS.split(_CAMEL.sub(b"_", name).lower()) if part]


def turn(word: bytes) -> bytes | None:
    """The phase that a word by itself says: nothing for training, `val`; None for all other words."""
    lower = word.lower()
    return b"val" if lower in _VALIDATING else b"" if lower in (b"train", b"training", b"trn") else None


def is_result(name: bytes) -> bool:
    """Whether a name says how good the model is, so that even a single value of it is worth keeping."""
    return name.lower() in RESULTS or any(part in RESULTS for part in parts(name))


@lru_cache(1 << 14)
def is_measure(name: bytes) -> bool:
    """Whether a name says something that is measured of a training."""
    known = name.lower() in MEASURES or any(part in MEASURES for part in parts(name))
    return known or PER_SECOND.search(name.lower()) is not None


def is_count(name: bytes) -> bool:
    """Whether a name is of a count, a size or an address: a number, and no measure of the training."""
    last = (parts(name) or [b""])[-1]
    if last == b"total" and is_result(name):
        return False
    if COUNTING.search(name.lower()):
        return True
    return last in COUNTS and not RATE.search(name.lower())
