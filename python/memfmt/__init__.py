"""Python side of memfmt: weights from manifests (memfmt.manifest)."""
