from base64 import b85decode
from collections.abc import Iterator

from stetho.artifact import Artifact
from stetho.reader import Example, Flaw, Piece, reader
from stetho.series import Series

EVENTS = b85decode(
    "7ytkO00000qkl^x2><{90002+KN<~Ua$#w1E=6`_Zge^_hQC*O7ytkO00000qkl^x2><{900000Kq?Ii3kn2mZ*y}M0000#T+=gR8vp<R0000"
    "08V#Nk2><{900008KoG0~Dh&z?3IuF#b8{5{0DwM-qVjq!000000002R%UAjd00000000O;5Uc_!APOD|17TxhLJ9~05&$9u002NgN(%}J3I}"
    "szVQgV?bEni<>nQ*L0000005|_%00{s9000005I_(CDjW(L3IuL%bY(&a2nP}XLIP-MN(c%D3IudzcywS}$@B"
)
CURVES = {"loss": [0.5, 0.25], "acc": [0.75]}


def _sure(artifact: Artifact) -> float:
    """By the first frame, which holds the time of an event and, mostly, the version of the file."""
    head = artifact.head[:128]
    if len(head) < 25 or head[12] != 0x09 or head[4:8] != bytes(4):
        return 0.0
    from stetho.formats.tfrecords import good_length

    if not good_length(head[:12]):
        return 0.0
    return 1.0 if b"brain.Event:" in head else 0.8


@reader(
    recognises=_sure,
    examples={
        "numbers of both styles, and a text": Example(EVENTS, series=CURVES),
        "one that was cut off": Example(EVENTS[:-20], series=CURVES, flaws=1),
        "a damaged record": Example(
            EVENTS[:70] + b"\xff" + EVENTS[71:], series={"loss": [0.25], "acc": [0.75]}, flaws=1
        ),
    },
)
def tensorboard(artifact: Artifact) -> Iterator[Piece]:
    """Scalars of TensorBoard event files, of the old style and of the new one.

    ## What it reads
    Every scalar with its step and its time, in the order in which it was written, also where a resumed run has
    written a step again. Checksums are verified: a damaged record is left out and reported, and so is a tail that was
    cut off; what lies before it is kept.

    ## What it leaves
    Images, histograms, texts, graphs and hyperparameters. Records of more than a megabyte are passed over unseen.
    """
    import numpy as np

    from stetho.formats.summaries import Scalars
    from stetho.formats.tfrecords import frames

    found = Scalars()
    try:
        with artifact.opened() as handle:
            for part in frames(handle):
                if isinstance(part, Flaw):
                    yield part
                else:
                    found.add(part)
    except OSError as error:
        yield Flaw(f"cannot be read: {error.strerror}")
    if found.malformed:
        yield Flaw(f"{found.malformed} records hold something else than an event", offset=found.first_malformed)
    if not found.parts:
        return
    ids, offsets, times, steps, values = (np.concatenate(column) for column in zip(*found.parts, strict=True))
    order = np.lexsort((offsets, ids))
    ids, offsets, times, steps, values = (column[order] for column in (ids, offsets, times, steps, values))
    bounds = np.searchsorted(ids, np.arange(len(found.tags) + 1))
    for (tag, tensor), number in found.tags.items():
        own = slice(bounds[number], bounds[number + 1])
        if bounds[number] < bounds[number + 1] and found.is_scalar(tag, tensor):
            yield Series(tag, values[own], artifact.name, steps[own], None, times[own], offsets[own], "offset")
