"""Will a sequence of machine alarms end in a shutdown? Small BERT, trained from scratch."""
import argparse

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

PAD, CLS = 0, 1
FIRST_CODE = 2
N_CODES = 40
MAX_LEN = 22
CRITICAL = range(FIRST_CODE, FIRST_CODE + 4)
RESET = FIRST_CODE + 4


def alarm_log(rng):
    """Machines go down with two critical alarms more than there were resets."""
    length = rng.integers(8, MAX_LEN)
    codes = rng.integers(FIRST_CODE + 5, FIRST_CODE + N_CODES, size=length)
    n_critical, n_resets = rng.integers(0, 5), rng.integers(0, 3)
    places = rng.permutation(length)
    codes[places[:n_critical]] = rng.choice(CRITICAL, size=n_critical)
    codes[places[n_critical:n_critical + n_resets]] = RESET
    shutdown = n_critical - n_resets >= 2
    return [CLS, *codes.tolist()], int(shutdown)


class AlarmLogs(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.logs = [alarm_log(rng) for _ in range(n)]

    def __len__(self):
        return len(self.logs)

    def __getitem__(self, i):
        codes, shutdown = self.logs[i]
        return {"codes": codes, "shutdown": shutdown}


def collate(rows):
    longest = max(len(r["codes"]) for r in rows)
    input_ids = torch.full((len(rows), longest), PAD)
    attention_mask = torch.zeros(len(rows), longest, dtype=torch.long)
    for i, r in enumerate(rows):
        n = len(r["codes"])
        input_ids[i, :n] = torch.tensor(r["codes"])
        attention_mask[i, :n] = 1
    labels = torch.tensor([r["shutdown"] for r in rows])
    return {"input_ids": input_ids, "attention_mask": attention_mask, "labels": labels}


def compute_metrics(output):
    guess = output.predictions.argmax(-1)
    truth = output.label_ids
    recall = [(guess[truth == k] == k).mean() for k in (0, 1)]
    return {"accuracy": float((guess == truth).mean()), "balanced": float(np.mean(recall))}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=13)
    ap.add_argument("--epochs", type=float, default=4)
    args = ap.parse_args()
    set_seed(args.seed)
    train_set = AlarmLogs(1800, args.seed)
    test_set = AlarmLogs(600, args.seed + 1)

    config = BertConfig(
        vocab_size=FIRST_CODE + N_CODES, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=MAX_LEN + 2, hidden_dropout_prob=0.05, attention_probs_dropout_prob=0.05, pad_token_id=PAD,
        num_labels=2,
    )
    model = BertForSequenceClassification(config)
    training = TrainingArguments(
        output_dir="out", num_train_epochs=args.epochs, per_device_train_batch_size=40, per_device_eval_batch_size=200,
        learning_rate=3e-3, lr_scheduler_type="cosine", warmup_steps=40, weight_decay=0.01, max_grad_norm=1.0,
        eval_strategy="epoch", logging_steps=30, save_strategy="no", report_to="none", use_cpu=True, disable_tqdm=True,
        remove_unused_columns=False, label_names=["labels"], seed=args.seed,
    )
    trainer = Trainer(
        model=model, args=training, train_dataset=train_set, eval_dataset=test_set, data_collator=collate,
        compute_metrics=compute_metrics,
    )
    trainer.train()
    result = trainer.evaluate()
    print(f"test balanced accuracy {result['eval_balanced']:.4f}")


if __name__ == "__main__":
    main()
