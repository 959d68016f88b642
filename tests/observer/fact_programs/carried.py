"""A state that is carried on without being detached, a teacher without a graph, and losses that train nothing."""

import torch
from slow import Steps, tell
from torch import nn

torch.manual_seed(9)


def nodes_behind(loss):
    """Every node of the graph, and the leaves among them."""
    found, leaves, waiting = [], [], [loss.grad_fn] if loss.grad_fn else []
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.append(node)
            leaves += [node.variable] if hasattr(node, "variable") else []
            waiting += [follower for follower, _ in node.next_functions if follower]
    return len(found), sum(any(leaf is p for p in model.parameters()) for leaf in leaves)


class Teacher(nn.Linear):
    def forward(self, x):
        return super().forward(x).detach()


model, teacher = nn.Linear(3, 2), Teacher(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
steps, graphs, state = Steps(optimizer), [], torch.zeros(4, 2)
for i in range(7):
    x = torch.randn(4, 3)
    state = 0.5 * state + model(x)
    losses = [(state - teacher(x)).pow(2).mean()]  # @teacher
    if i == 2:
        losses.append(torch.tensor([state.mean().item()], requires_grad=True).mean())
        losses.append(model(x).detach().requires_grad_().sum())
    optimizer.zero_grad()
    for loss in losses:
        graphs.append([i, *nodes_behind(loss)])
        loss.backward(retain_graph=True)  # @backward
    steps.backward()
    steps.begin()
    optimizer.step()
    steps.end(losses=[loss.item() for loss in losses])
tell(steps=steps.rows, graphs=graphs)
