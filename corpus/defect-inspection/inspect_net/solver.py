import torch


class Solver:
    def __init__(self, net, section):
        if section.kind == "sgd":
            self.opt = torch.optim.SGD(net.parameters(), lr=section.rate, momentum=section.momentum, nesterov=section.nesterov)
        elif section.kind == "adam":
            self.opt = torch.optim.Adam(net.parameters(), lr=section.rate)
        else:
            raise ValueError(f"unknown solver {section.kind!r}")
        self.criterion = torch.nn.CrossEntropyLoss()

    def learn(self, net, images, target):
        self.opt.zero_grad()
        loss = self.criterion(net(images), target)
        loss.backward()
        self.opt.step()
        return loss.item()

    @torch.no_grad()
    def judge(self, net, loader):
        out = [(net(images), target) for images, target in loader]
        logits, target = (torch.cat(t) for t in zip(*out))
        return self.criterion(logits, target).item(), (logits.argmax(1) == target).float().mean().item()
