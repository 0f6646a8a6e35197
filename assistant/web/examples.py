"""Questions to start from, each about the abstracts that ship."""

from __future__ import annotations

__all__ = ["EXAMPLES"]

EXAMPLES = (
    "Which papers study KV caches?",
    "What goes wrong if a sparse autoencoder's L0 is too low?",
    "What speed-ups do RelayCaching and SparseInfer each claim?",
    "Which papers are about robots?",
)
