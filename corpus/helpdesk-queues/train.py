from argparse import ArgumentParser

from transformers import Trainer, TrainingArguments, set_seed

from router import HeadFirst, Router
from tickets import QUEUES, VOCAB, TicketSet


def accuracy(pred):
    return {"accuracy": float((pred.predictions.argmax(-1) == pred.label_ids).mean())}


def main():
    cli = ArgumentParser()
    cli.add_argument("--epochs", type=int, default=7)
    cli.add_argument("--head-epochs", type=int, default=1)
    cli.add_argument("--lr", type=float, default=3e-3)
    cli.add_argument("--seed", type=int, default=42)
    opt = cli.parse_args()

    set_seed(opt.seed)
    trainer = Trainer(
        model=Router(VOCAB, len(QUEUES)),
        args=TrainingArguments(
            output_dir="checkpoints", num_train_epochs=opt.epochs, learning_rate=opt.lr, seed=opt.seed,
            per_device_train_batch_size=50, per_device_eval_batch_size=500, lr_scheduler_type="constant",
            logging_strategy="epoch", eval_strategy="epoch", save_strategy="no", report_to=[], disable_tqdm=True,
            dataloader_pin_memory=False,
        ),
        train_dataset=TicketSet(4000, opt.seed),
        eval_dataset=TicketSet(1000, opt.seed + 1),
        compute_metrics=accuracy,
        callbacks=[HeadFirst(opt.head_epochs)],
    )
    trainer.train()
    result = trainer.evaluate()
    print(f"routing accuracy: {result['eval_accuracy']:.3f}")


if __name__ == "__main__":
    main()
