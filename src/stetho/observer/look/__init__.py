"""The close look: single steps seen operation by operation and layer by layer."""
