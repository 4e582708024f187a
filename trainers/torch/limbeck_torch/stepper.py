"""One step of the sampling model over a flat row of tokens, from captured graphs where there is CUDA."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from . import attention
from .hf_model import Model, Shape, head_of, hidden_of
from .packed import Array
from .snapshot import Source, Weights, put_into

_FEW = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256)
_MANY = (256, 512, 1_024, 2_048, 4_096)


@dataclass
class Plan:
    """The tokens of a step. An id of -1 stands for the token that its slot drew last."""

    ids: Array
    slots: Array
    positions: Array
    out: Array
    """Places of the tokens after which something is drawn."""
    segments: list[tuple[int, int, int, int]]


class Stepper:
    """The model that samples, its cache, and its graphs."""

    def __init__(self, base: Model, shape: Shape, slots: int, rows: int, graphs: bool) -> None:
        parameter = next(base.parameters())
        self.device, self.dtype = parameter.device, parameter.dtype
        self.base = base
        self.model = copy.deepcopy(base)
        self.model.config._attn_implementation = attention.NAME
        self.cache = attention.new_cache(shape, slots, self.device, self.dtype)
        self.last = torch.zeros(slots + 1, dtype=torch.int64, device=self.device)
        self._trash = slots
        self._rows = rows
        self._kernel = attention.kernel_there(self.device)
        self._graphs: dict[tuple[int, int], _Graph] | None = {} if graphs and self._kernel else None
        self._pool = torch.cuda.graph_pool_handle() if self._graphs is not None else None
        self._sizes = sorted({*(size for size in _FEW if size <= rows), rows, *_MANY})
        self.loaded: Source | None = None

    def load(self, source: Source) -> None:
        """Other weights; everything in the cache is worthless afterwards."""
        weights: Weights = source.weights()
        put_into(self.model, self.base, weights)
        self.loaded = source

    def copy_slot(self, source: int, target: int, length: int) -> None:
        """The beginning of one conversation as the beginning of another."""
        self.cache[:, :, target, :length] = self.cache[:, :, source, :length]

    def run(self, plan: Plan) -> Tensor:
        """Float32 logits after the places of `plan.out`, in their order."""
        count, outs = len(plan.ids), len(plan.out)
        if not self._kernel:
            fed = [torch.from_numpy(array.astype(np.int64)).to(self.device) for array in (plan.ids, plan.slots, plan.positions, plan.out)]
            return self._forward(*fed, plan.segments)
        size = next((size for size in self._sizes if size >= count), count)
        room = size if size <= self._rows else self._rows
        # Everything goes over in one copy.
        packed = np.zeros(3 * size + room, dtype=np.int64)
        packed[:count] = plan.ids
        packed[size : 2 * size] = self._trash
        packed[size : size + count] = plan.slots
        packed[2 * size : 2 * size + count] = plan.positions
        packed[3 * size : 3 * size + outs] = plan.out
        host = torch.from_numpy(packed).pin_memory()
        if self._graphs is None or size not in self._sizes:
            given = host.to(self.device, non_blocking=True)
            return self._forward(*_unpacked(given, size), None)[:outs]
        graph = self._graphs.get((size, room))
        if graph is None:
            graph = self._graphs[size, room] = _Graph(self, size, room)
        return graph.run(host)[:outs]

    def scoring(self) -> "_Scoring":
        """Inside, the model reads whole rows, as the others do."""
        return _Scoring(self.model)

    def _forward(self, ids: Tensor, slots: Tensor, positions: Tensor, out: Tensor, segments: list[tuple[int, int, int, int]] | None) -> Tensor:
        tokens = torch.where(ids >= 0, ids, self.last[slots])
        attention.set_running(attention.SlotStep(self.cache, slots, positions, segments))
        try:
            hidden = hidden_of(self.model, tokens[None], position_ids=positions[None])
        finally:
            attention.set_running(None)
        return head_of(self.model)(hidden[0, out]).float()


class _Scoring:
    def __init__(self, model: Model) -> None:
        self._model = model

    def __enter__(self) -> Model:
        self._model.config._attn_implementation = "sdpa"
        return self._model

    def __exit__(self, *_: object) -> None:
        self._model.config._attn_implementation = attention.NAME


class _Graph:
    """A captured step of one size."""

    def __init__(self, stepper: Stepper, size: int, room: int) -> None:
        self._given = torch.zeros(3 * size + room, dtype=torch.int64, device=stepper.device)
        self._given[size : 2 * size] = stepper._trash
        parts = _unpacked(self._given, size)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                stepper._forward(*parts, None)
        torch.cuda.current_stream().wait_stream(side)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, pool=stepper._pool):
            self._logits = stepper._forward(*parts, None)

    def run(self, given: Tensor) -> Tensor:
        self._given.copy_(given, non_blocking=True)
        self._graph.replay()
        return self._logits


def _unpacked(given: Tensor, size: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return given[:size], given[size : 2 * size], given[2 * size : 3 * size], given[3 * size :]
