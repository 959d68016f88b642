import configparser
import logging
import sys

import torch
from torch.nn.functional import binary_cross_entropy_with_logits as bce

from .network import LatenessNet
from .scoring import auc
from .table import CATEGORICAL, NUMERIC, InvoiceTable

log = logging.getLogger("lateness")


class Run:
    def __init__(self, conf):
        t, n = conf["training"], conf["network"]
        torch.manual_seed(t.getint("seed"))
        self.batch, self.epochs = t.getint("batch"), t.getint("epochs")
        table = InvoiceTable(conf["table"]["path"], conf["table"]["target"])
        self.train, self.recent = table.parts(conf["table"].getfloat("holdout"))
        self.net = LatenessNet(len(NUMERIC), [len(table.levels[c]) for c in CATEGORICAL], n.getint("hidden"),
                               n.getint("embed"), n.getfloat("dropout"))
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=t.getfloat("learning_rate"),
                                     weight_decay=t.getfloat("weight_decay"))
        log.info("%d invoices to train on, %d held out, %.1f%% late", len(self.train), len(self.recent),
                 100 * self.train.target.mean())

    def epoch(self):
        self.net.train()
        losses = []
        for rows in torch.randperm(len(self.train)).split(self.batch):
            part = self.train.take(rows)
            loss = bce(self.net(part.numeric, part.codes), part.target)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            losses.append(loss.item())
        return sum(losses) / len(losses)

    @torch.no_grad()
    def check(self):
        self.net.eval()
        logits = self.net(self.recent.numeric, self.recent.codes)
        return bce(logits, self.recent.target).item(), auc(logits, self.recent.target)

    def go(self):
        for i in range(self.epochs):
            train_loss = self.epoch()
            loss, area = self.check()
            log.info("epoch %d/%d train_loss=%.4f holdout_loss=%.4f holdout_auc=%.4f", i + 1, self.epochs, train_loss,
                     loss, area)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(asctime)s %(name)s %(message)s",
                        datefmt="%H:%M:%S")
    conf = configparser.ConfigParser()
    conf.read(sys.argv[1:] or ["lateness.ini"])
    Run(conf).go()
