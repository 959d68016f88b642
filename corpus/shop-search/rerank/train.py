import logging
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from .model import Reranker
from .sessions import D_ITEM, D_QUERY, make_sessions, mrr

log = logging.getLogger("rerank")


@dataclass(frozen=True)
class CFG:
    seed: int = 2023
    hidden: int = 48
    lr: float = 3e-3
    wd: float = 1e-3
    batch: int = 128
    epochs: int = 10
    n_train: int = 6000
    n_valid: int = 1500


def predict(model, s, rows=slice(None)):
    return model(s["query"][rows], s["items"][rows], s["lexical"][rows])


def main(cfg=CFG()):
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s", datefmt="%H:%M:%S")
    torch.manual_seed(cfg.seed)
    train, valid = make_sessions(cfg.n_train, cfg.seed), make_sessions(cfg.n_valid, cfg.seed + 1)
    model = Reranker(D_QUERY, D_ITEM, cfg.hidden)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.wd)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.epochs * (cfg.n_train // cfg.batch))
    log.info("first stage alone: MRR %.4f", mrr(valid["lexical"], valid["bought"]))
    for epoch in range(cfg.epochs):
        model.train()
        total, n = 0.0, 0
        for rows in torch.randperm(cfg.n_train).split(cfg.batch)[: cfg.n_train // cfg.batch]:
            loss = F.cross_entropy(predict(model, train, rows), train["bought"][rows])
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total, n = total + loss.item(), n + 1
        model.eval()
        with torch.no_grad():
            scores = predict(model, valid)
            vloss = F.cross_entropy(scores, valid["bought"]).item()
        log.info("epoch %2d | loss %.4f | valid loss %.4f | valid MRR %.4f", epoch, total / n, vloss, mrr(scores, valid["bought"]))


if __name__ == "__main__":
    main()
