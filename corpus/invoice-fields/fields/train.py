import argparse
import logging
from pathlib import Path

import torch
from torch import nn

from .dataset import IGNORE, LengthBuckets, collate, read_documents, shards
from .tagger import FieldTagger
from .text import Lookup, read_lines

log = logging.getLogger("fields")


@torch.no_grad()
def evaluate(model, documents, criterion, batch_size=50):
    """Loss per word, and micro F1 over all tags but O."""
    model.eval()
    loss_sum, n_words = 0.0, 0
    hit = predicted = actual = 0
    for begin in range(0, len(documents), batch_size):
        words, labels = collate(documents[begin:begin + batch_size])
        logits = model(words)
        loss = criterion(logits.flatten(0, 1), labels.flatten())
        guess = logits.argmax(-1)
        real = labels != IGNORE
        loss_sum += loss.item() * real.sum().item()
        n_words += real.sum().item()
        hit += ((guess == labels) & (labels > 0)).sum().item()
        predicted += ((guess > 0) & real).sum().item()
        actual += (labels > 0).sum().item()
    f1 = 2 * hit / max(predicted + actual, 1)
    return loss_sum / n_words, f1


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--data", type=Path, default=Path("data"))
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--batch-size", type=int, default=16)
    ap.add_argument("--lr", type=float, default=6e-3)
    ap.add_argument("--seed", type=int, default=21)
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    torch.manual_seed(args.seed)

    vocab = Lookup(read_lines(args.data / "vocab.txt"), unknown=1)
    tags = Lookup(read_lines(args.data / "tags.txt"))
    train_docs = read_documents(shards(args.data, "train"), vocab, tags)
    val_docs = read_documents(shards(args.data, "val"), vocab, tags)
    log.info("%d documents to train, %d to validate, %d shapes, %d tags", len(train_docs), len(val_docs), len(vocab), len(tags))

    batches = LengthBuckets(train_docs, args.batch_size, args.seed)
    model = FieldTagger(len(vocab), len(tags))
    criterion = nn.CrossEntropyLoss(ignore_index=IGNORE)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=args.lr, total_steps=args.epochs * len(batches))

    step = 0
    for epoch in range(args.epochs):
        model.train()
        for words, labels in batches:
            logits = model(words)
            loss = criterion(logits.flatten(0, 1), labels.flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            scheduler.step()
            step += 1
            if step % 25 == 0:
                log.info("step %d loss %.4f", step, loss.item())
        val_loss, f1 = evaluate(model, val_docs, criterion)
        log.info("epoch %d val_loss %.4f val_f1 %.4f", epoch, val_loss, f1)
    print(f"field F1 on {len(val_docs)} invoices: {f1:.4f}")


if __name__ == "__main__":
    main()
