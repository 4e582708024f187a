"""What a server is started with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch

from .hf_model import Shape
from .passes import Budget


@dataclass(frozen=True)
class Settings:
    """Everything has a default but the model and the folder of checkpoints."""

    model: Path
    checkpoints: Path
    name: str | None = None
    device: str = "cpu"
    dtype: torch.dtype = torch.bfloat16
    context: int | None = None
    rows: int = 128
    slots: int = 256
    chunk: int = 2_048
    graphs: bool = True
    batch_tokens: int | None = None
    checkpointing: str = "auto"
    memory_share: float = 0.95
    max_models: int = 8
    max_rank: int = 64
    full_weights: bool = True
    session_seconds: float = 300.0
    poll_seconds: float = 30.0
    api_key: str | None = None
    # A file that `limbeck tokens` wrote.
    tokens: Path | None = None
    # The log of what was refused and what was changed.
    audit: Path | None = None


def batch_budget(settings: Settings, shape: Shape, device: torch.device) -> Budget:
    """Tokens of a micro-batch, and whether activations are computed again on the way back instead of being kept."""
    if device.type != "cuda":
        return Budget(settings.batch_tokens or 4_096, settings.checkpointing == "on")
    free, _ = torch.cuda.mem_get_info()
    tokens = settings.batch_tokens or 16_384
    # Per token and layer, in bfloat16: about ten vectors of the hidden size and four of the feed-forward.
    kept = 2 * shape.layers * (10 * shape.hidden + 4 * shape.intermediate)
    wanted = settings.checkpointing == "on" or (settings.checkpointing == "auto" and tokens * kept > free * 0.4)
    if wanted and settings.batch_tokens is None:
        # One layer at a time is computed again, and the input of every layer is kept.
        each = kept // shape.layers + 2 * shape.layers * shape.hidden
        tokens = max(2_048, min(tokens, int(free * 0.3 / each)))
    return Budget(tokens, wanted)
