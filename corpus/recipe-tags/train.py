#!/usr/bin/env python
"""Fine-grained diet tags for recipes (vegan, quick, spicy ...) from their ingredient lists, with the HF Trainer."""
import numpy as np
import torch
from torch import nn
from transformers import BertConfig, BertModel, Trainer, TrainingArguments, set_seed

TAGS = ["vegan", "spicy", "quick", "baked", "sweet", "raw", "festive", "kids"]
VOCAB = 120
PAD, CLS = 0, 1
MAX_LEN = 14


class Recipes(torch.utils.data.Dataset):
    """Every tag hangs on a few ingredients; a recipe has as many tags as its ingredients say, often one or none."""

    def __init__(self, n, seed):
        world = np.random.default_rng(4)
        signal = np.zeros((VOCAB, len(TAGS)))
        for k in range(len(TAGS)):
            signal[world.choice(np.arange(2, VOCAB), 11, replace=False), k] = 1.0
        rng = np.random.default_rng(seed)
        self.rows = []
        for _ in range(n):
            length = rng.integers(6, MAX_LEN)
            words = rng.choice(np.arange(2, VOCAB), length, replace=False)
            tags = (signal[words].sum(0) >= 2).astype(np.float32)
            ids = np.full(MAX_LEN, PAD)
            ids[0] = CLS
            ids[1:length + 1] = words
            self.rows.append({"input_ids": ids, "attention_mask": (ids != PAD).astype(np.int64), "labels": tags})

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {k: torch.as_tensor(v) for k, v in self.rows[i].items()}


class TagModel(nn.Module):
    def __init__(self, config, n_tags):
        super().__init__()
        self.bert = BertModel(config, add_pooling_layer=False)
        self.head = nn.Linear(config.hidden_size, n_tags)
        self.criterion = nn.CrossEntropyLoss()

    def forward(self, input_ids, attention_mask, labels=None):
        hidden = self.bert(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1).float()
        pooled = (hidden * mask).sum(1) / mask.sum(1)
        logits = self.head(pooled)
        out = {"logits": logits}
        if labels is not None:
            out["loss"] = self.criterion(logits, labels)
        return out


def compute_metrics(pred):
    hit = 1 / (1 + np.exp(-pred.predictions)) > 0.5
    true = pred.label_ids > 0.5
    tp = (hit & true).sum()
    micro_f1 = 2 * tp / max(hit.sum() + true.sum(), 1)
    exact = (hit == true).all(1).mean()
    return {"micro_f1": float(micro_f1), "exact": float(exact)}


def main():
    set_seed(21)
    config = BertConfig(
        vocab_size=VOCAB, hidden_size=48, num_hidden_layers=1, num_attention_heads=4, intermediate_size=96,
        max_position_embeddings=MAX_LEN, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )
    args = TrainingArguments(
        output_dir="out", num_train_epochs=4, per_device_train_batch_size=32, per_device_eval_batch_size=250,
        learning_rate=5e-3, lr_scheduler_type="linear", warmup_steps=20, weight_decay=0.0,
        logging_steps=40, eval_strategy="epoch", save_strategy="no",
        report_to="none", disable_tqdm=True, seed=21, dataloader_pin_memory=False,
    )
    trainer = Trainer(
        model=TagModel(config, len(TAGS)), args=args,
        train_dataset=Recipes(3200, seed=100), eval_dataset=Recipes(800, seed=101), compute_metrics=compute_metrics,
    )
    trainer.train()
    scores = trainer.evaluate()
    print(f"final: micro F1 {scores['eval_micro_f1']:.4f}, exact match {scores['eval_exact']:.4f}")


if __name__ == "__main__":
    main()
