"""The recording: what is written, when, and how it stays bounded."""
