import json
from collections.abc import Iterator

from stetho.artifact import Artifact
from stetho.facts import Checkpoint
from stetho.reader import Example, Reading, reader
from stetho.readers.torch_checkpoint import told

HEADER = b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
ONE = len(HEADER).to_bytes(8, "little") + HEADER
LARGEST = 100 << 20


@reader(
    gives=(Checkpoint,),
    recognises=lambda artifact: 0.9 if begins_like_one(artifact) else 0.0,
    examples={
        "whole": Example(ONE + b"\x00\x00\x80?\x00\x00\x00@", facts=(Checkpoint("safetensors", "whole", tensors=1),)),
        "cut off": Example(ONE + b"\x00\x00", facts=(Checkpoint("safetensors", "truncated"),)),
        "cut off in its header": Example(ONE[:40], facts=(Checkpoint("safetensors", "truncated"),)),
    },
)
def safetensors(artifact: Artifact) -> Iterator[Reading]:
    """A file of safetensors: whether all its bytes are there, and whether its weights are finite.

    ## What it reads
    The header, which says where each tensor begins and ends, and the numbers themselves.

    ## What it leaves
    Kinds of numbers that are not floating-point, and 8-bit ones.
    """
    from stetho.formats.weights import Tensor, looked_at

    if not begins_like_one(artifact):
        return
    length = int.from_bytes(artifact.head[:8], "little")
    if 8 + length > artifact.size:
        yield told(artifact, "safetensors", "truncated", f"{artifact.size} bytes, its header alone has {8 + length}")
        return
    try:
        header = json.loads(artifact.part(8, length))
        spans = {name: (one["dtype"], *map(int, one["data_offsets"]), len(one["shape"]))
                 for name, one in header.items() if name != "__metadata__"}  # fmt: skip
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        yield told(artifact, "safetensors", "damaged", f"its header cannot be read: {type(error).__name__}")
        return
    end = 8 + length + max((span[2] for span in spans.values()), default=0)
    if end > artifact.size:
        yield told(artifact, "safetensors", "truncated", f"{artifact.size} bytes of {end}", tensors=len(spans))
        return
    if any(not 0 <= begin <= stop for _, begin, stop, _ in spans.values()):
        yield told(artifact, "safetensors", "damaged", "a tensor ends before it begins", tensors=len(spans))
        return
    tensors = [Tensor(name, str(kind), 8 + length + begin, stop - begin, dimensions)
               for name, (kind, begin, stop, dimensions) in spans.items()]  # fmt: skip
    scanned, flaws = looked_at(artifact.path, tensors)
    yield told(artifact, "safetensors", "whole", tensors=len(spans), scanned=scanned, flaws=flaws)


def begins_like_one(artifact: Artifact) -> bool:
    """A length that a header can have, and a JSON object that names a tensor."""
    head = artifact.head
    if len(head) < 10 or head[8:9] != b"{":
        return False
    return int.from_bytes(head[:8], "little") < LARGEST and (b'"dtype"' in head or b'"__metadata__"' in head)
