"""Let the model give the right answers in evaluation, and see whether the score says so.

## What changes
In the first evaluation the label of each sample is noted where it meets the answers in a loss. From the next evaluation
on the model's output is replaced, as soon as the model returns, by one that has each label right: the right class is
highest, or a score lies a little to the right side of zero. Training is not touched.

## How it is known
Where the answers meet the labels in the loss of a later evaluation, every one of them is right.

## What it tells
A score that is computed as it is meant is then perfect. One that is not perfect is computed from something else: along
another axis, with another threshold, against other labels.

## When it says nothing
Evaluations without a loss of classes, of other samples each time, or only one of them; inputs that appear twice with
different labels; models whose output is no plain tensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Is the score perfect when every answer is right?"
applies = "programs that evaluate the same samples several times, with a loss of classes, and print a score"
by_hand = False
alters = "answers"
values = {"": "those of the labels"}
backgrounds = {"": {"symptom-gone": 0.01, "better": 0.93, "same": 0.03, "worse": 0.01, "new-failure": 0.02}}
CLASSES, SHARES = ("cross_entropy", "nll_loss"), ("binary_cross_entropy", "binary_cross_entropy_with_logits")
# A score just to the right side of zero, which a threshold of one half on raw scores gets wrong.
SLIGHT = 0.25


def apply(run: Run, value: str) -> None:
    """Learn the labels of one evaluation, and answer with them in the following ones."""
    torch = run.torch
    labels: dict[str, float] = {}
    state: dict[str, Any] = {"prints": [], "output": None, "loss": "", "learned": False, "given": False}

    @run.on_idle_input
    def enters(module: Any, args: Any, kwargs: Any) -> None:
        state["prints"] = run.prints(module, args, kwargs) if run.evaluating else []
        state["given"] = False

    @run.on_stepped
    def trained(optimizer: Any) -> None:
        state["learned"] = bool(labels)

    @run.on_output
    def answer(module: Any, training: bool, output: Any) -> Any:
        prints = state["prints"]
        if training or not prints or not state["learned"] or not run.evaluating:
            return None
        if any(one not in labels for one in prints):
            run.contradicted("an evaluation has samples that the first one did not have")
            return None
        if not torch.is_tensor(output) or output.dim() < 1 or output.shape[0] != len(prints):
            run.refused("the model's output is no tensor with a row for each sample")
            return None
        wanted = torch.tensor([labels[one] for one in prints], device=output.device)
        state["given"] = True
        run.applied()
        return perfect(output, wanted)

    def perfect(output: Any, wanted: Any) -> Any:
        name = state["loss"]
        if name in SHARES:
            low, high = (-SLIGHT, SLIGHT) if name.endswith("logits") else (0.5 - SLIGHT, 0.5 + SLIGHT)
            return torch.where(wanted > 0.5, high, low).to(output).reshape(output.shape)
        right = torch.zeros_like(output).scatter_(1, wanted.long()[:, None], 1.0)
        return torch.log_softmax(right, 1) if name == "nll_loss" else right

    @run.on_loss
    def meets(call: Any) -> None:
        given, target, prints = call.input, call.target, state["prints"]
        if call.trained or not run.evaluating or not prints or call.name not in (*CLASSES, *SHARES):
            return
        if not torch.is_tensor(target) or target.numel() != len(prints) or not fits(call.name, given, target):
            run.refused("the loss of an evaluation has not one label of a class for each sample")
        elif state["given"]:
            run.verified() if all_right(call.name, given, target) else run.contradicted(
                "labels are others than in the first evaluation, or the output is changed on its way to the loss"
            )
        elif not state["learned"]:
            learn(call.name, target.detach().reshape(-1).tolist(), prints)

    def fits(name: str, given: Any, target: Any) -> bool:
        if name in SHARES:
            return bool(given.numel() == target.numel())
        return given.dim() == 2 and given.shape[0] == target.numel() and not target.is_floating_point()

    def all_right(name: str, given: Any, target: Any) -> bool:
        flat = target.reshape(-1)
        if name in SHARES:
            edge = 0.0 if name.endswith("logits") else 0.5
            return bool(((given.reshape(-1) > edge) == (flat > 0.5)).all())
        return bool((given.argmax(1) == flat).all())

    def learn(name: str, given: list[float], prints: list[str]) -> None:
        state["loss"] = name
        for one, label in zip(prints, given):  # noqa: B905 - Python 3.9
            if labels.setdefault(one, label) != label:
                run.contradicted("two samples are the same and have different labels")
