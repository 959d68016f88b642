from collections.abc import Iterator

from stetho.artifact import Artifact
from stetho.facts import Checkpoint
from stetho.reader import Example, Reading, reader
from stetho.readers.torch_checkpoint import told

# A file without a byte has nothing to be known by but its name.
SUFFIXES = (".pt", ".pth", ".ckpt", ".safetensors")


@reader(
    gives=(Checkpoint,),
    recognises=lambda artifact: 0.9 if is_empty(artifact) else 0.0,
    examples={"no byte": Example(b"", facts=(Checkpoint("unknown", "empty"),), name="last.ckpt")},
)
def empty_checkpoint(artifact: Artifact) -> Iterator[Reading]:
    """A checkpoint without a byte: the program was stopped, or the disk was full, before the first one was written.

    ## What it reads
    The size and the name of the file, as there is nothing else.

    ## What it leaves
    Empty files whose name is not that of a checkpoint.
    """
    if is_empty(artifact):
        yield told(artifact, "unknown", "empty", "it has no byte")


def is_empty(artifact: Artifact) -> bool:
    return not artifact.folder and not artifact.size and artifact.path.suffix.lower() in SUFFIXES
