import torch

from endgame import SpikeGuard, ValueNet, ValueTrainer, sample_positions

SEED, BATCH, STEPS, EVERY = 9, 64, 500, 50


if __name__ == "__main__":
    torch.manual_seed(SEED)
    gen = torch.Generator().manual_seed(SEED)
    boards, values = sample_positions(8000, gen)
    test = sample_positions(1500, gen)

    trainer = ValueTrainer(ValueNet(), SpikeGuard(), lr=1.5e-3, max_norm=5.0)
    window = 0.0
    for _ in range(STEPS):
        pick = torch.randint(len(boards), (BATCH,), generator=gen)
        window += trainer.update(boards[pick], values[pick])
        if trainer.steps % EVERY == 0:
            mse, side = trainer.evaluate(*test)
            print(f"{trainer.steps:4d} train mse {window / EVERY:.4f}  test mse {mse:.4f}  right side {side:.3f}")
            window = 0.0
