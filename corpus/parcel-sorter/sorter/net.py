from itertools import pairwise

from torch import nn


def lane_net(n_features, hidden, n_lanes):
    sizes = [n_features, *hidden]
    layers = []
    for a, b in pairwise(sizes):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(sizes[-1], n_lanes))
