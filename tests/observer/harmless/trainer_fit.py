"""The Trainer of Hugging Face, with an evaluation in between."""

import torch
from proof import report
from transformers import BertConfig, BertForSequenceClassification, PrinterCallback, Trainer, TrainingArguments

losses = []


class Told(Trainer):
    def compute_loss(self, *args, **kwargs):
        loss = super().compute_loss(*args, **kwargs)
        losses.append((loss[0] if isinstance(loss, tuple) else loss).item())
        return loss


torch.manual_seed(0)
size = BertConfig(
    vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, num_labels=2
)
data = [{"input_ids": torch.randint(0, 20, (5,)), "labels": torch.tensor(i % 2)} for i in range(24)]
arguments = TrainingArguments(
    output_dir="out", use_cpu=True, max_steps=16, per_device_train_batch_size=4, report_to=[], save_strategy="no",
    disable_tqdm=True, learning_rate=1e-3, eval_strategy="steps", eval_steps=6, log_level="error",
)  # fmt: skip
trainer = Told(model=BertForSequenceClassification(size), args=arguments, train_dataset=data, eval_dataset=data[:8])
trainer.remove_callback(PrinterCallback)
trainer.train()
report(trainer.model, losses)
