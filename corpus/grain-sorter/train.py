import configparser
import os

import torch

from sorter.images import loaders
from sorter.loop import EpochLog, Loop
from sorter.network import SorterNet


def main(path="grain.ini"):
    ini = configparser.ConfigParser()
    ini.read(path)
    torch.manual_seed(ini.getint("run", "seed"))
    train, valid, kinds = loaders(ini["loader"])
    net = SorterNet(len(kinds))
    sgd = ini["sgd"]
    optimizer = torch.optim.SGD(net.parameters(), lr=sgd.getfloat("lr"), momentum=sgd.getfloat("momentum"),
                                weight_decay=sgd.getfloat("weight_decay"), nesterov=sgd.getboolean("nesterov"))
    loss, acc = Loop(net, optimizer, [EpochLog()]).fit(train, valid, ini.getint("run", "epochs"))
    out = ini.get("run", "out")
    os.makedirs(out, exist_ok=True)
    torch.save({"kinds": kinds, "net": net.state_dict()}, os.path.join(out, "final.pt"))
    print(f"final valid accuracy {acc:.4f}")


if __name__ == "__main__":
    main()
