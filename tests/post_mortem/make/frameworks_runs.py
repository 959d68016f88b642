"""Logs of frameworks that are too heavy to run here, written line by line after the real formats. Standard library only."""

# ruff: noqa: E501 - lines of real logs are long

import json
import math
import random
from datetime import timedelta

from fixture import EXPLODED, Clock, Page, cosine, decay, ends, numbered, run


@run(
    "nanogpt-healthy",
    about="nanoGPT on a character data set: noisy, evaluated every 250 iterations, runs to max_iters",
    source="written after the format: nanoGPT",
    status=["clear"],
    formats=["text"],
    causes=["none/healthy", "none/completed", "none/slow-but-learning"],
    not_symptoms=["loss-oscillating", "overfitting", "loss-flat"],
)
def nanogpt(out):
    page, dice = Page(), random.Random(40)
    page.say(
        "tokens per iteration will be: 16,384\nfound vocab_size = 65 (inside data/shakespeare_char/meta.pkl)\n"
        "Initializing a new model from scratch\nnumber of parameters: 10.65M\n"
        "num decayed parameter tensors: 26, with 10,740,096 parameters\n"
        "num non-decayed parameter tensors: 13, with 4,992 parameters\nusing fused AdamW: True\ncompiling the model..."
    )
    losses = decay(201, 4.28, 1.18, 14, 0.022, 40)
    for step, loss in numbered(losses, 10):
        if step % 250 == 0:
            page.log(
                "step {step}: train loss {a:.4f}, val loss {b:.4f}",
                "b>val_loss",
                step=step,
                a=loss * 0.99,
                b=loss * 1.03,
            )
            if step:
                page.say("saving checkpoint to out-shakespeare-char")
        page.log(
            "iter {step}: loss {loss:.4f}, time {ms:.2f}ms, mfu {mfu:.2f}%",
            "loss",
            step=step,
            loss=loss,
            ms=71.2 + 3 * dice.random() + (900 if step % 250 == 0 else 0),
            mfu=-100.0 if step < 50 else 17.3 + dice.random() / 3,
        )
    return page.save(out / "train.log") | {"last_step": 2000}


def megatron_line(page, clock, i, total, loss, grad, rate, scale="1.0", nan=0, skipped=0, ms=1240.0):
    page.log(
        " [{t}] iteration {i:8d}/{total:8d} | consumed samples: {c:12d} | elapsed time per iteration (ms): {ms:.1f} | "
        "learning rate: {lr:.6E} | global batch size:   256 | lm loss: {loss:.6E} | loss scale: {scale} | "
        "grad norm: {g:.3f} | number of skipped iterations: {sk:3d} | number of nan iterations: {nan:3d} |",
        "loss>lm_loss g>grad_norm",
        t=clock.show("%Y-%m-%d %H:%M:%S.%f"),
        i=i,
        total=total,
        c=i * 256,
        ms=ms,
        lr=rate,
        loss=loss,
        scale=scale,
        g=grad,
        sk=skipped,
        nan=nan,
    )


@run(
    "megatron-spike-healthy",
    about="a pre-training with one loss spike (3.1 to 7.9) that recovers within 30 iterations; goes on to its end",
    source="written after the format: Megatron-LM",
    status=["clear"],
    formats=["text"],
    causes=["none/healthy", "none/completed", "none/slow-but-learning"],
    not_symptoms=["loss-diverging", "loss-nonfinite", "gradients-exploding"],
    completed=True,
)
def megatron_healthy(out):
    page, clock, dice = Page(), Clock("2026-01-20 03:11:10.402113"), random.Random(41)
    page.say(
        "using world size: 64, data-parallel size: 16, context-parallel size: 1, tensor-model-parallel size: 2, "
        "pipeline-model-parallel size: 2\n> building GPT train, validation, and test datasets for GPT ...\n"
        "[after dataloaders are built] datetime: 2026-01-20 03:11:09\ndone with setup ...\ntraining ..."
    )
    losses = decay(180, 10.9, 2.75, 12, 0.008, 41)
    for k in range(4):
        losses[121 + k] += 4.8 * 0.4**k
    for i, loss in numbered(losses, 10, 10):
        clock.tick(12.4)
        megatron_line(
            page,
            clock,
            i,
            1800,
            loss,
            abs(dice.gauss(0.5, 0.05)) * (9 if 121 <= i // 10 - 1 < 123 else 1),
            cosine(i, 1800, 3e-4, 100, 3e-5),
        )
        if i % 600 == 0:
            page.say(
                f"(min, max) time across ranks (ms):\n    evaluate .......: (2101.22, 2103.91)\n----------------------\n"
                f" validation loss at iteration {i} | lm loss value: {loss:.6E} | lm loss PPL: {math.exp(loss):.6E} |"
            )
            page.say(f"  successfully saved checkpoint from iteration {i:7d} to checkpoints/gpt-350m")
    page.say("[after training is done] datetime: 2026-01-20 03:48:41")
    return page.save(out / "rank63.log") | {"last_step": 1800}


@run(
    "megatron-nccl-timeout",
    about="rank 1 stopped calling collectives after 912 iterations; the watchdogs of the others end the job after 10 minutes",
    source="written after the format: Megatron-LM, torch NCCL watchdog",
    status=["established", "suspected"],
    causes=["env/hang", "dist/collective-mismatch", "dist/straggler"],
    symptoms_any=["hang", "crash", "killed"],
    not_symptoms=["loss-nonfinite", "loss-diverging", "overfitting"],
    formats=["text"],
    ranks=4,
)
def megatron_nccl(out):
    page, clock, dice = Page(), Clock("2026-01-22 11:40:02.000311"), random.Random(42)
    for i, loss in numbered(decay(92, 10.9, 3.3, 12, 0.008, 42), 10, 2):
        clock.tick(12.4)
        megatron_line(page, clock, i, 50000, loss, abs(dice.gauss(0.6, 0.06)), cosine(i, 50000, 3e-4, 500, 3e-5))
    clock.tick(603)
    for rank, done in ((0, 27411), (2, 27411), (3, 27411)):
        page.say(
            f"[rank{rank}]:[E122 12:09:{11 + rank:02d}.482910233 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective "
            f"operation timeout: WorkNCCL(SeqNum={done}, OpType=ALLREDUCE, NumelIn=67239936, NumelOut=67239936, "
            f"Timeout(ms)=600000) ran for 600072 milliseconds before timing out.\n"
            f"[rank{rank}]:[E122 12:09:{11 + rank:02d}.483102871 ProcessGroupNCCL.cpp:2268] [PG ID 2 PG GUID 9(DATA_PARALLEL_GROUP) "
            f"Rank {rank}]  failure detected by watchdog at work sequence id: {done} PG status: last enqueued work: {done}, "
            f"last completed work: {done - 1}\n"
            f"[rank{rank}]:[E122 12:09:{11 + rank:02d}.483117902 ProcessGroupNCCL.cpp:670] Stack trace of the failed collective not "
            f"found, potentially because FlightRecorder is disabled. You can enable it by setting "
            f"TORCH_NCCL_TRACE_BUFFER_SIZE to a non-zero value."
        )
    page.say(
        "[rank0]:[E122 12:09:12.101223411 ProcessGroupNCCL.cpp:684] [Rank 0] Some NCCL operations have failed or timed out. "
        "Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.\n"
        "[rank0]:[E122 12:09:12.101239113 ProcessGroupNCCL.cpp:698] [Rank 0] To avoid data inconsistency, we are taking the "
        "entire process down.\n"
        "terminate called after throwing an instance of 'c10::DistBackendError'\n"
        "  what():  [PG ID 2 PG GUID 9(DATA_PARALLEL_GROUP) Rank 0] Process group watchdog thread terminated with exception: "
        "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=27411, OpType=ALLREDUCE, NumelIn=67239936, "
        "NumelOut=67239936, Timeout(ms)=600000) ran for 600072 milliseconds before timing out.\n"
        "Exception raised from checkTimeout at ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:635 (most recent call "
        "first):"
    )
    page.say(
        "E0122 12:09:14.881000 3311 torch/distributed/elastic/multiprocessing/api.py:882] failed (exitcode: -6) local_rank: 0 "
        "(pid: 3390) of binary: /usr/bin/python3"
    )
    return page.save(out / "slurm-20931.out") | {"last_step": 912}


@run(
    "nccl-different-collectives",
    about="rank 1 calls ALLGATHER where the others call ALLREDUCE at the same sequence number: they wait for ever",
    source="written after the format: torch NCCL watchdog",
    status=["established", "suspected"],
    causes=["dist/collective-mismatch"],
    symptoms_any=["hang", "crash", "killed"],
    formats=["text"],
    ranks=4,
    not_symptoms=["loss-nonfinite", "overfitting"],
)
def nccl_mismatch(out):
    page, clock = Page(), Clock("2026-07-02 08:15:40")
    for step, loss in numbered(decay(60, 3.9, 1.2, 9, 0.02, 43), 10, 10):
        clock.tick(4.1)
        page.log("[rank0] {t} step {step} loss {loss:.4f}", "loss", t=clock.show(), step=step, loss=loss)
    page.say("[rank1] uneven last batch, gathering predictions for the remaining samples")
    for rank in range(4):
        op, numel = ("ALLGATHER", 512) if rank == 1 else ("ALLREDUCE", 6553600)
        page.say(
            f"[rank{rank}]:[E702 08:29:5{rank}.118290233 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation "
            f"timeout: WorkNCCL(SeqNum=1832, OpType={op}, NumelIn={numel}, NumelOut={numel * (4 if rank == 1 else 1)}, "
            f"Timeout(ms)=600000) ran for 60000{rank} milliseconds before timing out."
        )
        page.say(
            f"[rank{rank}]:[E702 08:29:5{rank}.118400112 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure "
            f"detected by watchdog at work sequence id: 1832 PG status: last enqueued work: 1832, last completed work: 1831"
        )
    return page.save(out / "torchrun.log") | {"last_step": 600}


@run(
    "deepspeed-scale-at-minimum",
    about="float16: every step overflows, the loss scale falls to its minimum and DeepSpeed gives up",
    source="written after the format: DeepSpeed",
    status=["established", "suspected"],
    causes=["num/half-precision", "num/overflow", "num/exploding-gradients", "hp/lr-too-high"],
    symptoms=["crash"],
    not_symptoms=["overfitting", "killed"],
    formats=["text"],
    ranks=1,
    where="finetune.py:212",
)
def deepspeed(out):
    page, clock, dice = Page(), Clock("2026-03-02 10:11:12.345"), random.Random(44)
    page.say(
        "[2026-03-02 10:10:58,101] [INFO] [comm.py:669:init_distributed] cdb=None\n"
        "[2026-03-02 10:11:02,870] [INFO] [config.py:1001:print]   fp16_enabled ................. True\n"
        "[2026-03-02 10:11:02,870] [INFO] [config.py:1001:print]   initial_dynamic_scale ........ 65536"
    )
    for step, loss in numbered(decay(40, 2.9, 1.7, 9, 0.02, 44), 10, 10):
        clock.tick(8.8)
        t = clock.milli()
        page.say(
            f"[{t}] [INFO] [logging.py:107:log_dist] [Rank 0] step={step}, skipped=0, lr=[{2e-5:.6g}], mom=[(0.9, 0.95)]"
        )
        page.say(
            f"[{t}] [INFO] [timer.py:264:stop] epoch=0/micro_step={step * 4}/global_step={step}, "
            f"RunningAvgSamplesPerSec={14.1 + dice.random() / 9:.14f}, CurrSamplesPerSec={14.0 + dice.random() / 4:.14f}, "
            "MemAllocated=21.4GB, MaxMemAllocated=33.18GB"
        )
        page.log("epoch 0 step {step} loss {loss:.4f}", "loss", step=step, loss=loss)
    scale = 65536
    while scale > 1:
        clock.tick(0.9)
        page.say(
            f"[{clock.milli()}] [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted "
            f"loss scale: {scale}, reducing to {scale // 2}"
        )
        scale //= 2
    page.say("""Traceback (most recent call last):
  File "/home/mira/sft/finetune.py", line 240, in <module>
    main()
  File "/home/mira/sft/finetune.py", line 212, in main
    model.step()
  File "/home/mira/venv/lib/python3.11/site-packages/deepspeed/runtime/engine.py", line 2344, in step
    self._take_model_step(lr_kwargs)
  File "/home/mira/venv/lib/python3.11/site-packages/deepspeed/runtime/zero/stage_1_and_2.py", line 1960, in step
    self._update_scale(self.overflow)
  File "/home/mira/venv/lib/python3.11/site-packages/deepspeed/runtime/fp16/loss_scaler.py", line 175, in update_scale
    raise Exception(
Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.
[2026-03-02 10:17:41,019] [INFO] [launch.py:319:sigkill_handler] Killing subprocess 40117
[2026-03-02 10:17:41,020] [ERROR] [launch.py:325:sigkill_handler] ['/usr/bin/python3', '-u', 'finetune.py', '--local_rank=0'] exits with return code = 1""")
    return page.save(out / "finetune.log") | {"last_step": 400}


def titan(page, clock, step, loss, dice):
    page.log(
        "[rank0]:[titan] {t} - root - INFO - \x1b[31mstep: {step:2}  \x1b[32mloss: {loss:7.4f}  \x1b[38;2;180;60;0mgrad_norm: {g:7.4f}  "
        "\x1b[33mmemory: {mem:5.2f}GiB({pct:.2f}%)  \x1b[34mtps: {tps:,}  \x1b[36mtflops: {tf:,.2f}  \x1b[35mmfu: {mfu:.2f}%\x1b[39m",
        "loss g>grad_norm",
        t=clock.milli(),
        step=step,
        loss=loss,
        g=abs(dice.gauss(1.3, 0.2)),
        mem=41.27,
        pct=52.12,
        tps=round(6120 + dice.gauss(0, 40)),
        tf=311.2 + dice.gauss(0, 2),
        mfu=31.5 + dice.gauss(0, 0.2),
    )


@run(
    "torchtitan-colour-healthy",
    about="torchtitan with colour codes, learns, announces its end",
    source="written after the format: torchtitan",
    status=["clear"],
    formats=["text"],
    completed=True,
    causes=["none/healthy", "none/completed", "none/slow-but-learning"],
    not_symptoms=["loss-flat", "memory-growing"],
)
def titan_healthy(out):
    page, clock, dice = Page(), Clock("2026-04-10 10:11:12.233"), random.Random(45)
    page.say(
        f"[rank0]:[titan] {clock.milli()} - root - INFO - Starting job: Llama 3 8B training\n"
        f"[rank0]:[titan] {clock.milli()} - root - INFO - Training starts at step 1, with local batch size 2, global batch size "
        "16, sequence length 8192, total steps 1000 (warmup 200)"
    )
    for step, loss in numbered(decay(101, 12.25, 3.4, 9, 0.01, 45), 10):
        clock.tick(26)
        titan(page, clock, max(step, 1), loss, dice)
    page.say(
        f"[rank0]:[titan] {clock.milli()} - root - INFO - Sleeping 2 seconds for other ranks to complete\n"
        f"[rank0]:[titan] {clock.milli()} - root - INFO - Training completed\n"
        f"[rank0]:[titan] {clock.milli()} - root - INFO - Process group destroyed"
    )
    return page.save(out / "stdout.log") | {"last_step": 1000}


@run(
    "torchtitan-cut-off",
    about="the same, and the file ends in the middle of a line: nothing in it says why",
    source="written after the format: torchtitan",
    status=["unknown", "suspected"],
    formats=["text"],
    causes=["env/killed", "env/hang", "env/host-oom", "env/disk-full", "other/unlisted", "env/exception"],
    not_symptoms=["loss-nonfinite", "loss-diverging", "overfitting"],
)
def titan_cut(out):
    page, clock, dice = Page(), Clock("2026-04-12 18:01:55.002"), random.Random(46)
    page.say(
        f"[rank0]:[titan] {clock.milli()} - root - INFO - Training starts at step 1, with local batch size 2, global batch size "
        "16, sequence length 8192, total steps 10000 (warmup 200)"
    )
    for step, loss in numbered(decay(61, 12.25, 3.9, 9, 0.01, 46), 10):
        clock.tick(26)
        titan(page, clock, max(step, 1), loss, dice)
    truth = page.save(out / "stdout.log", end="")
    whole = (out / "stdout.log").read_bytes()
    (out / "stdout.log").write_bytes(whole[: whole.rindex(b"memory") - 9])
    del truth["series"]["grad_norm"]
    return truth | {"last_step": 600}


@run(
    "fairseq-minimum-loss-scale",
    about="fairseq's JSON log: overflow after overflow, then FloatingPointError: minimum loss scale reached",
    source="written after the format: fairseq",
    status=["established", "suspected"],
    symptoms=["crash"],
    causes=["num/half-precision", "num/overflow", "hp/lr-too-high", "num/exploding-gradients", "hp/no-warmup"],
    formats=["text"],
    not_symptoms=["overfitting"],
)
def fairseq(out):
    page, clock, dice = Page(), Clock("2026-02-20 07:00:01"), random.Random(47)
    losses = decay(60, 13.9, 9.9, 12, 0.012, 47)
    for i, loss in enumerate(losses):
        clock.tick(13)
        if i > 45:
            loss += (i - 45) ** 2 * 0.09
        row = {
            "epoch": 1,
            "update": round(i * 0.021, 3),
            "loss": f"{loss:.3f}",
            "nll_loss": f"{loss * 0.93:.3f}",
            "ppl": f"{2 ** (loss * 0.93):.2f}",
            "wps": f"{31000 + dice.gauss(0, 300):.1f}",
            "ups": "7.71",
            "wpb": "4021.3",
            "bsz": "146.2",
            "num_updates": str((i + 1) * 100),
            "lr": f"{min(1, (i + 1) / 40) * 1e-3:.6g}",
            "gnorm": f"{abs(dice.gauss(1.1, 0.1)) * (1.4 ** max(0, i - 45)):.3f}",
            "loss_scale": "128" if i < 50 else str(2.0 ** (57 - i)),
            "train_wall": "13",
            "wall": str(13 * i + 20),
        }
        page.values.setdefault("loss", []).append(float(row["loss"]))
        page.say(f"{clock.show()} | INFO | train_inner | {json.dumps(row)}")
        if i > 49:
            page.say(
                f"{clock.show()} | INFO | fairseq.trainer | NOTE: gradient overflow detected, ignoring gradient, setting loss scale "
                f"to: {2.0 ** (56 - i)}"
            )
    page.say("""Traceback (most recent call last):
  File "/home/mira/venv/bin/fairseq-train", line 8, in <module>
    sys.exit(cli_main())
  File "/home/mira/venv/lib/python3.10/site-packages/fairseq_cli/train.py", line 574, in cli_main
    distributed_utils.call_main(cfg, main)
  File "/home/mira/venv/lib/python3.10/site-packages/fairseq/trainer.py", line 994, in train_step
    grad_norm = self.clip_grad_norm(self.cfg.optimization.clip_norm)
  File "/home/mira/venv/lib/python3.10/site-packages/fairseq/optim/dynamic_loss_scaler.py", line 61, in check_overflow
    raise FloatingPointError(
FloatingPointError: Minimum loss scale reached (0.0001). Your loss is probably exploding. Try lowering the learning rate, using gradient clipping or increasing the batch size.""")
    return page.save(out / "train.log") | {"last_step": 6000}


@run(
    "detectron2-loss-infinite",
    about="detectron2 stops itself: FloatingPointError at iteration 431 after the box loss has run away",
    source="written after the format: detectron2",
    status=["suspected", "established"],
    symptoms=["loss-nonfinite"],
    causes=[*EXPLODED, "data/nonfinite-values", "data/outlier-batch"],
    formats=["text"],
    nonfinite_step=431,
    not_symptoms=["overfitting", "killed"],
)
def detectron2(out):
    page, clock, _dice = Page(), Clock("2026-03-11 14:02:11"), random.Random(48)
    losses = decay(22, 2.31, 1.1, 6, 0.02, 48)
    for i, loss in enumerate(losses):
        step = i * 20 + 19
        clock.tick(9)
        if i > 17:
            loss *= 1.9 ** (i - 17)
        page.log(
            "\x1b[32m[{t} d2.utils.events]: \x1b[0m eta: {eta}  iter: {step}  total_loss: {loss:.4g}  loss_cls: {a:.4g}  "
            "loss_box_reg: {b:.4g}  loss_rpn_cls: {c:.4g}  loss_rpn_loc: {d:.4g}    time: 0.4411  last_time: 0.4397  "
            "data_time: 0.0213  last_data_time: 0.0061   lr: {lr:.5g}  max_mem: 6912M",
            "loss>total_loss",
            t=clock.show("%m/%d %H:%M:%S"),
            eta=str(timedelta(seconds=6600 - step // 2)),
            step=step,
            loss=loss,
            a=loss * 0.4,
            b=loss * 0.45,
            c=loss * 0.1,
            d=loss * 0.05,
            lr=0.02 * min(1, step / 1000),
        )
    page.say(
        f"\x1b[5m\x1b[31mERROR\x1b[0m \x1b[32m[{clock.show('%m/%d %H:%M:%S')} d2.engine.train_loop]: \x1b[0mException during training:"
    )
    page.say("""Traceback (most recent call last):
  File "/home/mira/detectron2/detectron2/engine/train_loop.py", line 155, in train
    self.run_step()
  File "/home/mira/detectron2/detectron2/engine/defaults.py", line 496, in run_step
    self._trainer.run_step()
  File "/home/mira/detectron2/detectron2/engine/train_loop.py", line 310, in run_step
    self._write_metrics(loss_dict, data_time)
  File "/home/mira/detectron2/detectron2/engine/train_loop.py", line 372, in write_metrics
    raise FloatingPointError(
FloatingPointError: Loss became infinite or NaN at iteration=431!
loss_dict = {'loss_cls': 11.274, 'loss_box_reg': nan, 'loss_rpn_cls': 3.1121, 'loss_rpn_loc': inf}""")
    page.say(
        f"\x1b[32m[{clock.show('%m/%d %H:%M:%S')} d2.engine.hooks]: \x1b[0mOverall training speed: 430 iterations in 0:03:09 (0.4411 s / it)"
    )
    return page.save(out / "log.txt") | {"last_step": 431}


@run(
    "mmengine-waits-for-data",
    about="data_time is nine tenths of time in every line and the saved nvidia-smi shows a GPU at 6 %: the loader is the bottleneck",
    source="written after the format: mmengine, nvidia-smi",
    status=["suspected"],
    causes=["env/input-bound", "env/slow-storage"],
    symptoms=["slow-training"],
    not_symptoms=["loss-diverging", "loss-nonfinite"],
    formats=["text", "nvidia-smi-csv"],
)
def mmengine(out):
    page, clock, dice = Page(), Clock("2026-03-11 14:02:11"), random.Random(49)
    for i, loss in enumerate(decay(96, 2.31, 0.9, 25, 0.03, 49)):
        epoch, batch = divmod(i * 50, 400)
        spent = 1.12 + dice.gauss(0, 0.05)
        clock.tick(spent * 50)
        page.log(
            "{t} - mmengine - INFO - Epoch(train)  [{e}][{b:3d}/400]  lr: 1.0000e-01  eta: {eta}  time: {time:.4f}  "
            "data_time: {data:.4f}  memory: 3511  loss: {loss:.4f}",
            "loss time data>data_time",
            t=clock.show("%Y/%m/%d %H:%M:%S"),
            e=epoch + 1,
            b=batch + 50,
            eta=str(timedelta(seconds=9000 - 56 * i)),
            time=spent,
            data=spent - 0.09,
            loss=loss,
        )
    smi = [
        "timestamp, index, name, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], temperature.gpu"
    ]
    watch = Clock("2026-03-11 14:10:00")
    for _ in range(120):
        watch.tick(30)
        smi.append(
            f"{watch.show('%Y/%m/%d %H:%M:%S')}.118, 0, NVIDIA A100-SXM4-40GB, {max(0, round(dice.gauss(6, 3)))} %, "
            f"{max(0, round(dice.gauss(2, 1)))} %, 4301 MiB, 40960 MiB, {38 + round(dice.random())}"
        )
    (out / "gpu.csv").write_text("\n".join(smi) + "\n")
    return page.save(out / "20260311_140211.log")


@run(
    "maxtext-healthy",
    about="a JAX pre-training (MaxText lines): step times constant, loss falls, all steps done",
    source="written after the format: MaxText",
    status=["clear"],
    formats=["text"],
    last_step=499,
    causes=["none/healthy", "none/completed", "none/slow-but-learning"],
    not_symptoms=["slow-training", "loss-flat"],
)
def maxtext(out):
    page, dice = Page(), random.Random(50)
    page.say(
        "System Information: Jax Version: 0.5.1\nnumber parameters: 1.104 billion\nTotal memory size: 9.2 GB, Output size: 3.1 GB"
    )
    for step, loss in numbered(decay(500, 10.9, 3.9, 45, 0.012, 50)):
        page.log(
            "completed step: {step}, seconds: {s:.3f}, TFLOP/s/device: {tf:.3f}, Tokens/s/device: {tok:.3f}, total_weights: 65536, "
            "loss: {loss:.3f}",
            "loss",
            step=step,
            s=38.1 if step == 0 else 0.911 + dice.gauss(0, 0.003),
            tf=102.2 + dice.gauss(0, 0.4),
            tok=8990 + dice.gauss(0, 30),
            loss=loss,
        )
    return page.save(out / "run.log")


def under_bar(step, total, seconds, row):
    """A dict line as tqdm writes it: the bar of the step before, wiped out, then the line."""
    spent, left = (f"{round(s) // 60:02d}:{round(s) % 60:02d}" for s in (step * seconds, (total - step) * seconds))
    part = step / total
    bar = f"{round(100 * part):3d}%|{'█' * int(part * 10):<10}| {step}/{total} [{spent}<{left}, {seconds:5.2f}s/it]"
    return f"\r{bar}\r{' ' * len(bar)}\r{row!r}"


@run(
    "hf4-zero-loss-nan-gradient",
    about="a fine-tune with Trainer 4: from step 40 on the loss is exactly 0.0 and grad_norm nan (fp16, or every label ignored)",
    source="written after the format: transformers 4 Trainer",
    status=["suspected"],
    formats=["text"],
    causes=[
        "num/half-precision",
        "data/labels-all-ignored",
        "num/overflow",
        "num/exploding-gradients",
        "hp/lr-too-high",
    ],
    symptoms_any=["loss-nonfinite", "gradients-exploding", "loss-flat", "too-good", "gradients-vanishing"],
    not_symptoms=["overfitting", "crash"],
    last_step=300,
)
def hf4_zero(out):
    page, dice = Page(), random.Random(51)
    losses = []
    for i in range(1, 31):
        bad = i >= 4
        loss = 0.0 if bad else round(2.41 - i * 0.2 + dice.gauss(0, 0.02), 4)
        losses.append(loss)
        row = {
            "loss": loss,
            "grad_norm": float("nan") if bad else round(3.1 + dice.random(), 14),
            "learning_rate": 2e-4 * (1 - i / 30),
            "epoch": round(i * 0.1, 2),
        }
        page.say(under_bar((i - 1) * 10, 300, 1.44, row))
    page.say(under_bar(300, 300, 1.44, {"epoch": 3.0}).rsplit("\r", 2)[0])
    page.say(
        "{'train_runtime': 431.2291, 'train_samples_per_second': 5.566, 'train_steps_per_second': 0.696, 'train_loss': "
        f"{sum(losses) / 30:.15f}, 'epoch': 3.0}}"
    )
    page.save(out / "train.log")
    return {"series": {"loss": ends(losses)}, "nonfinite_step": 40}


@run(
    "hf4-healthy",
    about="Trainer 4's dict lines with numbers, progress bar on the same stream, evaluation each epoch; a good fine-tune",
    source="written after the format: transformers 4 Trainer",
    status=["clear"],
    formats=["text"],
    last_step=600,
    causes=["none/healthy", "none/completed", "none/converged"],
    not_symptoms=["overfitting", "loss-flat"],
    completed=True,
)
def hf4_healthy(out):
    page, dice = Page(), random.Random(52)
    losses = [round(v, 4) for v in decay(60, 0.69, 0.18, 11, 0.02, 52)]
    evals = []
    for i, loss in enumerate(losses, 1):
        row = {
            "loss": loss,
            "grad_norm": round(abs(dice.gauss(3, 0.8)), 6),
            "learning_rate": 5e-5 * (1 - i / 60),
            "epoch": round(i / 20, 2),
        }
        page.say(under_bar((i - 1) * 10, 600, 0.34, row))
        if i % 20 == 0:
            evals.append(round(0.42 - 0.06 * i / 20, 4))
            page.say(
                repr(
                    {
                        "eval_loss": evals[-1],
                        "eval_accuracy": round(0.86 + 0.02 * i / 20, 4),
                        "eval_runtime": 4.1,
                        "eval_samples_per_second": 212.1,
                        "epoch": i / 20,
                    }
                )
            )
    page.say(under_bar(600, 600, 0.34, {"epoch": 3.0}).rsplit("\r", 2)[0])
    page.say(
        "{'train_runtime': 203.1, 'train_samples_per_second': 47.2, 'train_steps_per_second': 2.954, 'train_loss': 0.298, 'epoch': 3.0}"
    )
    page.save(out / "train.log")
    return {"series": {"loss": ends(losses), "eval_loss": ends(evals)}}


@run(
    "flight-recorder-mismatch",
    about="NCCL flight recorder dumps of four ranks: at sequence 1832 rank 1 has started all_gather, the others all_reduce",
    source="written after the format: torch NCCL flight recorder",
    status=["established", "suspected"],
    causes=["dist/collective-mismatch"],
    symptoms_any=["hang", "crash", "killed"],
    formats=["flight-recorder", "text"],
    ranks=4,
    not_symptoms=["loss-nonfinite", "overfitting"],
)
def flight_recorder(out):
    import pickle

    start = 1783066540 * 10**9
    for rank in range(4):
        entries = []
        for sequence in range(1813, 1833):
            last = sequence == 1832
            name, size = ("all_gather", 512) if last and rank == 1 else ("all_reduce", 6553600)
            begin = start + sequence * 40_000_000 + rank * 1000
            entries.append(
                {
                    "frames": [
                        {
                            "name": "_gather_rest" if name == "all_gather" else "backward",
                            "filename": "/home/mira/proj/train.py",
                            "line": 88 if name == "all_gather" else 71,
                        },
                        {"name": "main", "filename": "/home/mira/proj/train.py", "line": 120},
                    ],
                    "record_id": sequence - 1,
                    "pg_id": 0,
                    "process_group": ("0", "default_pg"),
                    "collective_seq_id": sequence,
                    "p2p_seq_id": 0,
                    "op_id": sequence,
                    "profiling_name": f"nccl:{name}",
                    "time_created_ns": begin,
                    "input_sizes": ((size,),),
                    "input_dtypes": ["Float"],
                    "output_sizes": ((size * 4 if name == "all_gather" else size,),),
                    "output_dtypes": ["Float"],
                    "state": "started" if last else "completed",
                    "time_discovered_started_ns": begin + 200_000,
                    "time_discovered_completed_ns": None if last else begin + 30_000_000,
                    "retired": not last,
                    "timeout_ms": 600000,
                    "is_p2p": False,
                }
            )
        dump = {
            "version": "2.4",
            "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3]"}},
            "pg_status": {
                "0": {
                    "last_enqueued_collective": 1832,
                    "last_started_collective": 1832,
                    "last_completed_collective": 1831,
                }
            },
            "entries": entries,
        }
        (out / f"nccl_trace_rank_{rank}").write_bytes(pickle.dumps(dump, protocol=2))
    page = Page()
    for step, loss in numbered(decay(60, 3.9, 1.2, 9, 0.02, 53), 10, 10):
        page.log("step {step} loss {loss:.4f}", "loss", step=step, loss=loss)
    return page.save(out / "rank0.log") | {"last_step": 600}


@run(
    "py-spy-deadlock",
    about="alive and silent for three hours; a saved py-spy dump shows the trainer in queue.get and a worker waiting for a lock after fork",
    source="written after the format: py-spy, own prints",
    status=["suspected", "established"],
    causes=["env/hang"],
    symptoms=["hang"],
    not_symptoms=["crash", "loss-nonfinite", "overfitting"],
    formats=["text"],
)
def py_spy(out):
    page, clock = Page(), Clock("2026-09-20 08:00:00")
    for step, loss in numbered(decay(90, 2.9, 1.1, 15, 0.02, 54), 1, 1):
        clock.tick(1.4)
        page.log("{t} step {step} loss {loss:.4f}", "loss", t=clock.show(), step=step, loss=loss)
    (out / "py-spy.txt").write_text(
        "# py-spy dump --pid 7712, taken 2026-09-20 11:04:31\n"
        "Process 7712: python train.py --workers 2\nPython v3.11.9 (/usr/bin/python3.11)\n\n"
        'Thread 7712 (idle): "MainThread"\n    wait (threading.py:331)\n    get (queue.py:180)\n'
        "    _try_get_data (torch/utils/data/dataloader.py:1310)\n    _get_data (torch/utils/data/dataloader.py:1464)\n"
        "    __next__ (torch/utils/data/dataloader.py:733)\n    main (train.py:52)\n    <module> (train.py:80)\n\n"
        "Process 7733: python train.py --workers 2\n\n"
        'Thread 7733 (idle): "MainThread"\n    acquire (logging/__init__.py:925)\n    handle (logging/__init__.py:978)\n'
        "    info (logging/__init__.py:1489)\n    __getitem__ (data.py:31)\n    fetch (torch/utils/data/_utils/fetch.py:54)\n"
        "    _worker_loop (torch/utils/data/_utils/worker.py:351)\n"
    )
    return page.save(out / "train.log") | {"last_step": 90}
