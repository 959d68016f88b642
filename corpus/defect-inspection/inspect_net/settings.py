import tomllib
from pathlib import Path


class Section(dict):
    def __getattr__(self, key):
        try:
            return self[key]
        except KeyError as exc:
            raise AttributeError(key) from exc


def load(path):
    raw = tomllib.loads(Path(path).read_text())
    return Section({name: Section(values) for name, values in raw.items()})
