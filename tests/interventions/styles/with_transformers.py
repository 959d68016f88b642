"""A small text classifier under the Trainer of transformers; its model computes its own loss."""

import torch
from task import BATCH, CLASSES, at_the_edge, options, points
from torch import nn
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments

TOKENS = 40


class Sentences(torch.utils.data.Dataset):
    """Points as words: the sign and size of each feature is a token; one in ten is drawn anew each time."""

    def __init__(self, seed=0, samples=256, ordered=False, floats=False):
        x, self.y = points(seed, samples, ordered)
        self.ids = ((x - x.mean()) * 3 + TOKENS / 2).long().clamp(2, TOKENS - 1)
        self.floats = floats

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        noise = torch.randint(2, TOKENS, self.ids[i].shape)
        ids = torch.where(torch.rand(self.ids[i].shape) < 0.1, noise, self.ids[i])
        label = self.y[i].float() if self.floats else self.y[i]
        return {"labels": label, "input_ids": ids, "attention_mask": torch.ones_like(ids)}


class Normalised(nn.Module):
    """A last layer that hands on probabilities."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return self.layer(x).softmax(dim=-1)


class Custom(Trainer):
    """Its own loss, as many people write it."""

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        if o.always_eval:
            model.eval()
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        logits = outputs.logits
        if o.regress:
            loss = nn.functional.mse_loss(logits, labels, reduction="sum" if o.summed else "mean")
        elif o.plain:
            loss = -logits.log_softmax(dim=1).gather(1, labels[:, None]).mean()
        else:
            loss = nn.functional.cross_entropy(logits, labels, reduction="sum" if o.summed else "mean")
        if o.zeros:
            loss = loss - 1e-6 * logits.relu().log().mean()
        if o.edges:
            loss = loss + 1e-6 * at_the_edge(logits)
        if not o.summed:
            loss = loss + 1e-3 * logits.pow(2).mean()
        return (loss, outputs) if return_outputs else loss


class Wiping(TrainerCallback):
    """Clears gradients when they are about to be used."""

    def on_pre_optimizer_step(self, args, state, control, model=None, **kwargs):
        model.zero_grad()


o = options()
torch.manual_seed(0)
config = BertConfig(
    vocab_size=TOKENS,
    hidden_size=32,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=32,
    hidden_act="relu",
    num_labels=1 if o.regress else CLASSES,
    max_position_embeddings=32,
)
model = BertForSequenceClassification(config)
if o.softmax:
    model.classifier = Normalised(model.classifier)
if o.freeze:
    model.bert.embeddings.requires_grad_(False)
arguments = TrainingArguments(
    output_dir="out",
    max_steps=o.steps,
    per_device_train_batch_size=BATCH,
    learning_rate=o.lr / 10,
    seed=0,
    weight_decay=0.01,
    report_to=[],
    use_cpu=True,
    save_strategy="no",
    eval_strategy="steps",
    eval_steps=6,
    disable_tqdm=True,
    logging_steps=5,
    bf16=o.half,
    dataloader_num_workers=o.workers,
    gradient_checkpointing=o.recompute,
    torch_compile=o.compiled,
    **({"train_sampling_strategy": "sequential"} if o.ordered else {}),
)
optimizers = (None, None)
if o.forget:
    kept = [p for name, p in model.named_parameters() if "classifier" not in name]
    optimizers = (torch.optim.AdamW(kept, lr=o.lr / 10), None)
kind = Custom if o.regress or o.plain or o.summed or o.always_eval or o.zeros or o.edges else Trainer
data = Sentences(ordered=o.ordered, floats=o.regress)
trainer = kind(
    model, arguments, train_dataset=data, eval_dataset=Sentences(1, 64, floats=o.regress), optimizers=optimizers
)
if o.wipe:
    trainer.add_callback(Wiping())
trainer.train()
