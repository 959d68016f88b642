"""What readers know of formats that others are made of: frames, checksums, wire formats, columns. Trusts none."""
