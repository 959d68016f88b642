import base64
from collections.abc import Iterator
from typing import Any

from stetho.artifact import Artifact
from stetho.facts import Checkpoint
from stetho.reader import Example, Reading, reader

ZIP = b"PK\x03\x04"
# What torch.save wrote before its files were zips: three pickles of which the first is this number.
OLD = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
# A whole checkpoint of one number, {"w": torch.ones(1)}, and one that was cut off.
WHOLE = base64.b64decode(
    "UEsDBAAACAgAAAAAAAAAAAAAAAAAAAAAAAAAABAAEgBhcmNoaXZlL2RhdGEucGtsRkIOAFpaWlpaWlpaWlpaWlpagAJ9cQBYAQAAAHdxAWN0"
)


@reader(
    gives=(Checkpoint,),
    recognises=lambda artifact: 0.9 if is_torch(artifact) else 0.0,
    examples={
        "cut off": Example(WHOLE, facts=(Checkpoint("torch", "truncated"),)),
    },
)
def torch_checkpoint(artifact: Artifact) -> Iterator[Reading]:
    """A checkpoint of torch's: whether it is whole, and whether its weights are finite.

    ## What it reads
    The directory of the archive, the checksums of its parts, the pickle that names its tensors (drawn, never run), and
    the numbers of the tensors where they lie.

    ## What it leaves
    Values of tensors that are compressed, quantised or sparse; checksums beyond the first half gigabyte. Files of torch
    before 1.6 are known, and only measured.
    """
    from stetho.formats.torch_archive import Damaged, opened

    if not is_torch(artifact):
        return
    if artifact.head.startswith(OLD):
        yield told(artifact, "torch before 1.6", "whole", "its parts cannot be told without running it")
        return
    try:
        archive = opened(artifact.path)
    except Damaged as damage:
        yield told(artifact, "torch", damage.state, damage.detail)
        return
    from stetho.formats.weights import looked_at

    scanned, flaws = looked_at(artifact.path, archive.tensors)
    rest = f"{archive.unchecked} bytes have no checksum that was compared" if archive.unchecked else ""
    known = {"tensors": len(archive.tensors), "scanned": scanned, "flaws": flaws, "names": archive.names}
    yield told(artifact, "torch", "whole", rest, **known)


def is_torch(artifact: Artifact) -> bool:
    """Whether it begins like a file of torch.save: an archive whose first entries are torch's, or the old number."""
    head = artifact.head
    return head.startswith(OLD) or (head.startswith(ZIP) and b"data.pkl" in head[:4096])


def told(artifact: Artifact, form: str, state: str, detail: str = "", **known: Any) -> Reading:
    """The checkpoint as a fact and in words."""
    fact = Checkpoint(form, state, artifact.name, artifact.size, artifact.modified, detail, **known)
    words = f"a checkpoint, {state}" + (f", {detail}" if detail else "")
    if fact.tensors is not None:
        words += f", {fact.tensors} tensors"
    bad = [flaw for flaw in fact.flaws if flaw.what == "nonfinite"]
    if bad:
        words += f", {len(bad)} with NaN or Inf, the first is {bad[0].name}"
    return Reading(fact, words)
