"""torch.where hides the result of a division by zero, but not its gradient; parameters are plain tensors."""

# truth: step=41 phase=backward op=div
import torch


def forward(parameters, x, weights):
    w, b = parameters
    total = ((x @ w + b).tanh() * weights).sum(1)
    count = weights.sum(1)
    mean = total / count  # <- here
    return torch.where(count > 0, mean, torch.zeros_like(mean))


def loss_of(parameters, batch):
    x, weights, y = batch
    return (forward(parameters, x, weights) - y).pow(2).mean()


torch.manual_seed(27)
parameters = [torch.randn(4, 6).requires_grad_(), torch.zeros(6, requires_grad=True)]
optimizer = torch.optim.SGD(parameters, lr=0.05)
x, weights = torch.randn(60, 10, 4), torch.rand(60, 10, 6).round() + 0.5
weights[41, 9] = 0
y = x.mean(-1)
losses = []
for batch in zip(x, weights, y, strict=True):
    loss = loss_of(parameters, batch)
    gradients = torch.autograd.grad(loss, parameters)
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())
