from collections.abc import Iterator

from stetho.artifact import Artifact
from stetho.facts import Checkpoint
from stetho.reader import Example, Reading, reader
from stetho.readers.torch_checkpoint import told


@reader(
    gives=(Checkpoint,),
    recognises=lambda artifact: 0.9 if parts(artifact) else 0.0,
    examples={
        "whole": Example(
            {".metadata": b"\x80\x02.", "__0_0.distcp": b"12", "__1_0.distcp": b"34"},
            facts=(Checkpoint("distributed", "whole"),),
        ),
        "no metadata": Example(
            {"__0_0.distcp": b"12", "__1_0.distcp": b"34"}, facts=(Checkpoint("distributed", "incomplete"),)
        ),
        "an empty part": Example(
            {".metadata": b"\x80\x02.", "__0_0.distcp": b"12", "__1_0.distcp": b""},
            facts=(Checkpoint("distributed", "incomplete"),),
        ),
    },
)
def distributed_checkpoint(artifact: Artifact) -> Iterator[Reading]:
    """A folder of torch.distributed.checkpoint: whether the save came to its end.

    ## What it reads
    The names and sizes of the parts that the ranks wrote, and whether the metadata is there, which is written last.

    ## What it leaves
    The metadata itself is a pickle and stays unread; so do the values.
    """
    found = parts(artifact)
    if not found:
        return
    empty = [name for name in found if not (artifact.path / name).stat().st_size]
    missing = "" if ".metadata" in artifact.names else "its .metadata, which is written last, is missing"
    detail = missing or (f"{empty[0]} is empty" if empty else "")
    yield told(artifact, "distributed", "incomplete" if detail else "whole", detail)


def parts(artifact: Artifact) -> list[str]:
    return sorted(name for name in artifact.names if name.endswith(".distcp"))
