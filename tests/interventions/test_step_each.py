"""A step after each backward is made where the program leaves it out, and nowhere else."""

from __future__ import annotations

from pathlib import Path

from test_controls import under

START = """
net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
made = torch.optim.{optimizer}
own = 0
"""
END = """
print(json.dumps({"loss": F.cross_entropy(net(X), Y).item(), "own": own}))
"""


def program(body: str, optimizer: str = "SGD(net.parameters(), lr=0.1)") -> str:
    return START.format(optimizer=optimizer) + body + END


OUTSIDE = """
for _ in range(8):
    for i in range(32):
        loss = F.cross_entropy(net(X[2 * i : 2 * i + 2]), Y[2 * i : 2 * i + 2])
        made.zero_grad(); loss.backward()
    made.step(); own += 1
"""
NEVER = """
for i in range(200):
    made.zero_grad(); F.cross_entropy(net(X), Y).backward()
"""
ADDED_UP = """
for _ in range(6):
    made.zero_grad()
    for i in range(8):
        (F.cross_entropy(net(X[8 * i : 8 * i + 8]), Y[8 * i : 8 * i + 8]) / 8).backward()
    made.step(); own += 1
"""
ATTACK = """
for _ in range(6):
    x = X.clone()
    for _ in range(20):
        x = x.detach().requires_grad_()
        made.zero_grad(); F.cross_entropy(net(x), Y).backward()
        x = x + 0.01 * x.grad.sign()
    made.zero_grad(); F.cross_entropy(net(x.detach()), Y).backward()
    made.step(); own += 1
"""
CLOSURE = """
def closure():
    made.zero_grad(); loss = F.cross_entropy(net(X), Y); loss.backward()
    return loss
for _ in range(4):
    made.step(closure); own += 1
"""
INNER = """
import copy
for _ in range(6):
    inner = copy.deepcopy(net)
    for _ in range(20):
        inner.zero_grad(); F.cross_entropy(inner(X), Y).backward()
        with torch.no_grad():
            for p in inner.parameters():
                p -= 0.1 * p.grad
    made.zero_grad()
    for p, q in zip(net.parameters(), inner.parameters()):
        p.grad = p.detach() - q.detach()
    made.step(); own += 1
"""
GAN = """
other = nn.Linear(6, 3)
second = torch.optim.SGD(other.parameters(), lr=0.1)
for _ in range(4):
    for _ in range(20):
        second.zero_grad(); F.cross_entropy(other(X), Y).backward(); second.step()
    made.zero_grad(); F.cross_entropy(net(X) + other(X), Y).backward()
    made.step(); own += 1
"""


def test_a_step_outside_of_its_loop_is_made_inside(tmp_path: Path) -> None:
    plain, _ = under(tmp_path, "", program(OUTSIDE))
    changed, why_not = under(tmp_path, "step-each", program(OUTSIDE))
    assert why_not == ""
    assert changed["loss"] < 0.6 * plain["loss"] and changed["own"] == plain["own"] == 8


def test_steps_that_are_missing_are_made(tmp_path: Path) -> None:
    plain, _ = under(tmp_path, "", program(NEVER))
    changed, why_not = under(tmp_path, "step-each", program(NEVER))
    assert why_not == "" and changed["loss"] < 0.8 * plain["loss"]


def untouched(tmp_path: Path, body: str, **settings: str) -> bool:
    plain, _ = under(tmp_path, "", program(body, **settings))
    changed, why_not = under(tmp_path, "step-each", program(body, **settings))
    return why_not != "" and changed == plain


def test_gradients_that_are_added_up_are_left_alone(tmp_path: Path) -> None:
    assert untouched(tmp_path, ADDED_UP)


def test_rounds_of_an_attack_are_no_steps(tmp_path: Path) -> None:
    assert untouched(tmp_path, ATTACK)


def test_a_closure_is_called_by_its_step(tmp_path: Path) -> None:
    assert untouched(tmp_path, CLOSURE, optimizer="LBFGS(net.parameters(), max_iter=30)")


def test_an_inner_loop_on_a_copy_is_left_alone(tmp_path: Path) -> None:
    assert untouched(tmp_path, INNER)


def test_two_players_that_take_turns_are_left_alone(tmp_path: Path) -> None:
    assert untouched(tmp_path, GAN)
