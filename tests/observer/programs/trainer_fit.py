"""The Trainer of Hugging Face transformers, on a model of its own library."""

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Told(Trainer):
    def compute_loss(self, *args, **kwargs):
        loss = super().compute_loss(*args, **kwargs)
        print("loss", 0, (loss[0] if isinstance(loss, tuple) else loss).item())
        return loss


torch.manual_seed(0)
size = BertConfig(
    vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, num_labels=2
)
data = [{"input_ids": torch.randint(0, 20, (5,)), "labels": torch.tensor(i % 2)} for i in range(24)]
arguments = TrainingArguments(
    output_dir="out", use_cpu=True, max_steps=6, per_device_train_batch_size=4, report_to=[], save_strategy="no",
    disable_tqdm=True, learning_rate=1e-3,
)  # fmt: skip
Told(model=BertForSequenceClassification(size), args=arguments, train_dataset=data).train()
