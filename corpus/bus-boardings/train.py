import torch

from boardings import ClipGradients, Learner, Progress, RateNet, load_counts

torch.manual_seed(6)
train, held = load_counts(6000, seed=60), load_counts(1500, seed=61)
learner = Learner(
    RateNet(train[0].shape[1]), train, held, lr=0.01, batch=64, callbacks=[ClipGradients(max_norm=1.0), Progress()]
)
learner.fit(epochs=6)
