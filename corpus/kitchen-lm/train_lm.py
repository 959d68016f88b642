import math

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, PrinterCallback, Trainer, TrainerCallback, TrainingArguments, set_seed

from grammar import entropy, recipe, vocabulary

SEED = 3
VOCAB = vocabulary()
INDEX = {w: i for i, w in enumerate(VOCAB)}
PAD = INDEX["<pad>"]


class Recipes(Dataset):
    def __init__(self, n, rng):
        self.rows = [torch.tensor([INDEX[w] for w in recipe(rng)]) for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {"input_ids": self.rows[i]}


def collate(rows):
    ids = [r["input_ids"] for r in rows]
    input_ids = torch.nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=PAD)
    attention_mask = (input_ids != PAD).long()
    labels = input_ids.masked_fill(attention_mask == 0, -100)
    return {"input_ids": input_ids, "attention_mask": attention_mask, "labels": labels}


class Progress(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            print(f"step {state.global_step:4d}  loss {float(logs['loss']):.4f}  lr {float(logs['learning_rate']):.2e}")
        elif "eval_loss" in logs:
            print(f"step {state.global_step:4d}  held-out {float(logs['eval_loss']):.4f}")


set_seed(SEED)
rng = np.random.default_rng(SEED)
train_set, held_out = Recipes(5000, rng), Recipes(400, rng)
predicted_words = sum(len(r) - 1 for r in held_out.rows) / len(held_out)
floor = entropy() / predicted_words
print(f"{len(VOCAB)} words, {predicted_words:.1f} to predict per recipe, entropy {floor:.4f} nats per word")

config = GPT2Config(vocab_size=len(VOCAB), n_positions=24, n_embd=40, n_layer=2, n_head=4, resid_pdrop=0.0, embd_pdrop=0.0,
                    attn_pdrop=0.0, initializer_range=0.1, bos_token_id=INDEX["<bos>"], eos_token_id=INDEX["<eos>"], pad_token_id=PAD)
model = GPT2LMHeadModel(config)
args = TrainingArguments(
    output_dir="out", max_steps=180, per_device_train_batch_size=12, gradient_accumulation_steps=2, learning_rate=4e-3,
    lr_scheduler_type="linear", warmup_steps=20, weight_decay=0.01, logging_steps=20, eval_strategy="steps", eval_steps=50,
    save_strategy="no", report_to="none", use_cpu=True, disable_tqdm=True, seed=SEED, per_device_eval_batch_size=100,
)
trainer = Trainer(model=model, args=args, train_dataset=train_set, eval_dataset=held_out, data_collator=collate)
trainer.remove_callback(PrinterCallback)
trainer.add_callback(Progress())
trainer.train()
loss = trainer.evaluate()["eval_loss"]
print(f"held-out perplexity {math.exp(loss):.4f} (the grammar's own: {math.exp(floor):.4f})")
