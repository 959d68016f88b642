"""Which desk answers a complaint: fine-tunes the encoder in base/ on labelled letters."""
import torch
from transformers import BertForSequenceClassification, EarlyStoppingCallback, Trainer, TrainingArguments, set_seed

from letters import Letters, PadToLongest

LR_ENCODER = 1e-5
LR_HEAD = 8e-3
EPOCHS = 5


def parameter_groups(model):
    encoder = [p for p in model.bert.parameters() if p.requires_grad]
    return [{"params": encoder, "lr": LR_ENCODER}, {"params": model.classifier.parameters(), "lr": LR_HEAD}]


def accuracy(prediction):
    guess = prediction.predictions.argmax(axis=-1)
    return {"acc": float((guess == prediction.label_ids).mean())}


def main():
    set_seed(42)
    train_set = Letters("data", "train")
    dev_set = Letters("data", "dev")
    model = BertForSequenceClassification.from_pretrained("base", num_labels=len(train_set.desks))
    for p in model.bert.embeddings.parameters():
        p.requires_grad = False

    optimizer = torch.optim.AdamW(parameter_groups(model), weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 10))
    args = TrainingArguments(
        output_dir="out", num_train_epochs=EPOCHS, per_device_train_batch_size=32, per_device_eval_batch_size=200,
        eval_strategy="epoch", save_strategy="epoch", save_total_limit=1, save_only_model=True, logging_steps=19,
        load_best_model_at_end=True, metric_for_best_model="loss", report_to="none", use_cpu=True, disable_tqdm=True, seed=42,
    )
    trainer = Trainer(
        model=model, args=args, train_dataset=train_set, eval_dataset=dev_set, data_collator=PadToLongest(),
        compute_metrics=accuracy, optimizers=(optimizer, scheduler), callbacks=[EarlyStoppingCallback(2)],
    )
    trainer.train()
    scores = trainer.evaluate()
    print(f"dev accuracy {scores['eval_acc']:.4f} over {len(train_set.desks)} desks")


if __name__ == "__main__":
    main()
