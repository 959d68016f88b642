"""The little yaml that config files here use: two levels, scalars, comments."""


def _scalar(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def load(path):
    root, section = {}, None
    with open(path) as fh:
        for raw in fh:
            line = raw.split("#")[0].rstrip()
            if not line:
                continue
            key, _, value = line.strip().partition(":")
            if line[0] != " ":
                section = root.setdefault(key, {}) if not value.strip() else None
                if value.strip():
                    root[key] = _scalar(value.strip())
            else:
                section[key] = _scalar(value.strip())
    return root
