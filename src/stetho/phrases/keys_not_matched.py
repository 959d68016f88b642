"""Names in a checkpoint and in the model do not match.

## What it tells
Which weights are missing and which are there and not expected, where the line says so.

## What it does not tell
Whether that was meant, as for a new head.
"""

from stetho.phrase import Phrase

keys_not_matched = Phrase(
    id="keys-not-matched",
    says="names of weights do not match those in the checkpoint",
    words=("missing", "unexpected"),
    patterns=(
        r"_IncompatibleKeys\((?!missing_keys=\[\], unexpected_keys=\[\])",
        r"(?i:\b(?:missing|unexpected)[ _](?:keys?|parameters?|weights?|params)\b(?:\(s\))?[^\[\]]{0,40}\[ ?['\"\w])",
    ),
    fires=(
        "load: _IncompatibleKeys(missing_keys=['0.weight'], unexpected_keys=['module.0.weight'])",
        "missing keys: ['fc.weight'] unexpected keys: ['_orig_mod.fc.weight']",
    ),
    quiet=(
        "<All keys matched successfully>",
        "_IncompatibleKeys(missing_keys=[], unexpected_keys=[])",
        "missing keys: []",
        "missing values in column 3",
    ),
)
