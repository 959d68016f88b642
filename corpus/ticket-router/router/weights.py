import logging

import torch

log = logging.getLogger("router")


def load_encoder(encoder, path):
    """Start from the encoder trained on the unlabelled archive."""
    blob = torch.load(path, map_location="cpu", weights_only=True)
    encoder.load_state_dict(blob["state_dict"], strict=False)
    log.info("encoder from %s, pretrained for %d steps", path, blob["step"])
    return encoder
