import torch
from transformers import Trainer, TrainingArguments, set_seed

from data import Trips
from model import CommuteModel


class RegressionTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        minutes = model(**inputs)
        error = minutes - labels
        # Huber with delta 1: long delays should not dominate
        loss = torch.where(error.abs() < 1, 0.5 * error**2, error.abs() - 0.5).mean()
        return (loss, {"minutes": minutes}) if return_outputs else loss


def metrics(p):
    pred, true = p.predictions[:, 0], p.label_ids
    residual = ((pred - true) ** 2).sum()
    total = ((true - true.mean()) ** 2).sum()
    return {"r2": float(1 - residual / total)}


set_seed(7)

args = TrainingArguments(
    output_dir="runs",
    num_train_epochs=6,
    per_device_train_batch_size=64,
    per_device_eval_batch_size=500,
    learning_rate=4e-3,
    weight_decay=0.01,
    lr_scheduler_type="cosine",
    logging_steps=75,
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
    disable_tqdm=True,
    remove_unused_columns=False,
    label_names=["labels"],
    dataloader_pin_memory=False,
    seed=7,
)

trainer = RegressionTrainer(
    model=CommuteModel(),
    args=args,
    train_dataset=Trips(6400, seed=1),
    eval_dataset=Trips(1000, seed=2),
    compute_metrics=metrics,
)
trainer.train()
print("R2 on held-out trips: %.4f" % trainer.evaluate()["eval_r2"])
