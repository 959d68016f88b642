"""A checkpoint or another saved file could not be read: it is cut, empty or damaged.

## What it tells
How the file is broken, as the library says it.

## What it does not tell
Whether an earlier checkpoint is whole.
"""

from stetho.phrase import Phrase

checkpoint_unreadable = Phrase(
    id="checkpoint-unreadable",
    says="a saved file cannot be read",
    words=(
        "deserializing header",
        "pytorchstreamreader",
        "central directory",
        "invalid load key",
        "unexpected eof",
        "ran out of input",
        "headertoolarge",
        "header too large",
        "incompletemetadata",
        "metadataincompletebuffer",
        "incomplete metadata",
        "badzipfile",
        "not a zip file",
        "corrupt",
        "pickle data was truncated",
        "unpicklingerror",
    ),
    patterns=(
        r"PytorchStreamReader failed",
        r"failed finding central directory",
        r"invalid load key",
        r"unexpected EOF, expected",
        r"EOFError: Ran out of input",
        r"[Hh]eader ?[Tt]oo ?[Ll]arge",
        r"MetadataIncompleteBuffer",
        r"[Ii]ncomplete metadata",
        r"InvalidHeaderDeserialization",
        r"BadZipFile",
        r"pickle data was truncated",
        r"(?:checkpoint|file|weights)\S{0,60} .{0,60}(?:is|are|seems?|might be|may be|appears?) (?:to be )?corrupt",
    ),
    fires=(
        "safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge",
        (
            "safetensors_rust.SafetensorError: Error while deserializing header: incomplete metadata, file not "
            "fully covered"
        ),
        "safetensors_rust.SafetensorError: Error while deserializing header: InvalidHeaderDeserialization",
        "zipfile.BadZipFile: File is not a zip file",
        "_pickle.UnpicklingError: pickle data was truncated",
        "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory",
        "_pickle.UnpicklingError: invalid load key, '\\x00'.",
        "EOFError: Ran out of input",
        "safetensors_rust.SafetensorError: Error while deserializing header: MetadataIncompleteBuffer",
        "RuntimeError: unexpected EOF, expected 4711 more bytes. The file might be corrupted.",
    ),
    quiet=(
        "the label noise may corrupt the gradient",
        "loading checkpoint ckpt.pt",
    ),
    ended="error",
)
