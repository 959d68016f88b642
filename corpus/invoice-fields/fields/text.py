import re


def shape(word: str) -> str:
    """Digits carry no meaning by themselves, only how many there are: 12.03.2021 -> 00.00.0000"""
    return re.sub(r"\d", "0", word)


def read_lines(path) -> list[str]:
    with open(path, encoding="utf-8") as fh:
        return fh.read().splitlines()


class Lookup:
    def __init__(self, names: list[str], unknown: int | None = None):
        self.names = names
        self.index = {name: i for i, name in enumerate(names)}
        self.unknown = unknown

    def __len__(self) -> int:
        return len(self.names)

    def __call__(self, name: str) -> int:
        if self.unknown is None:
            return self.index[name]
        return self.index.get(name, self.unknown)
