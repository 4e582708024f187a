"""One step of the sampling model over a flat row of tokens, from captured graphs where there is CUDA."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from . import attention
from .draw import draw
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
    temperature: Array
    uniform: Array
    """One entry for each of `out`."""
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

    def run(self, plan: Plan) -> tuple[Tensor, Tensor]:
        """Float32 logits after the places of `plan.out`, in their order, and what an unrestricted draw makes of them: tokens,
        log-probabilities and those of what was drawn from, in float64."""
        count, outs = len(plan.ids), len(plan.out)
        size = next((size for size in self._sizes if size >= count), count) if self._kernel else count
        room = max(outs, min(size, self._rows)) if self._kernel else outs
        given = _Given.pack(plan, size, room, self._trash)
        if not self._kernel:
            logits, results = self._forward(_Given(torch.from_numpy(given), size, room), plan.segments)
        else:
            host = torch.from_numpy(given).pin_memory()
            if self._graphs is None or size not in self._sizes:
                logits, results = self._forward(_Given(host.to(self.device, non_blocking=True), size, room), None)
            else:
                graph = self._graphs.get((size, room))
                if graph is None:
                    graph = self._graphs[size, room] = _Graph(self, size, room)
                logits, results = graph.run(host)
        return logits[:outs], results[:, :outs]

    def scoring(self) -> "_Scoring":
        """Inside, the model reads whole rows, as the others do."""
        return _Scoring(self.model)

    def _forward(self, given: "_Given", segments: list[tuple[int, int, int, int]] | None) -> tuple[Tensor, Tensor]:
        tokens = torch.where(given.ids >= 0, given.ids, self.last[given.slots])
        attention.set_running(attention.SlotStep(self.cache, given.slots, given.positions, segments))
        try:
            hidden = hidden_of(self.model, tokens[None], position_ids=given.positions[None])
        finally:
            attention.set_running(None)
        logits = head_of(self.model)(hidden[0, given.out]).float()
        drawn = draw(logits, given.temperature.float(), given.uniform, None)
        self.last[given.out_slots] = drawn.tokens
        return logits, drawn.stacked()


class _Scoring:
    def __init__(self, model: Model) -> None:
        self._model = model

    def __enter__(self) -> Model:
        self._model.config._attn_implementation = "sdpa"
        return self._model

    def __exit__(self, *_: object) -> None:
        self._model.config._attn_implementation = attention.NAME


class _Given:
    """The numbers of a step in one array, so that one copy takes them over. What fills up goes to a slot that nobody has."""

    def __init__(self, packed: Tensor, size: int, room: int) -> None:
        self.packed = packed
        self.ids, self.slots, self.positions = (packed[at * size : (at + 1) * size] for at in range(3))
        rest = packed[3 * size :].view(4, room)
        self.out, self.out_slots = rest[0], rest[1]
        self.temperature, self.uniform = rest[2].view(torch.float64), rest[3].view(torch.float64)

    @staticmethod
    def pack(plan: Plan, size: int, room: int, trash: int) -> Array:
        """The numbers of a plan."""
        count, outs = len(plan.ids), len(plan.out)
        packed = np.zeros(3 * size + 4 * room, dtype=np.int64)
        packed[:count] = plan.ids
        packed[size : 2 * size] = trash
        packed[size : size + count] = plan.slots
        packed[2 * size : 2 * size + count] = plan.positions
        rest = packed[3 * size :].reshape(4, room)
        rest[0, :outs] = plan.out
        rest[1] = trash
        rest[1, :outs] = plan.slots[plan.out]
        rest[2, :outs] = plan.temperature.astype(np.float64).view(np.int64)
        rest[3, :outs] = plan.uniform.astype(np.float64).view(np.int64)
        return packed


class _Graph:
    """A captured step of one size."""

    def __init__(self, stepper: Stepper, size: int, room: int) -> None:
        nothing = Plan(*(np.zeros(0, dtype=np.int64) for _ in range(6)), [])
        parts = _Given(torch.from_numpy(_Given.pack(nothing, size, room, stepper._trash)).to(stepper.device), size, room)
        self._given = parts.packed
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                stepper._forward(parts, None)
        torch.cuda.current_stream().wait_stream(side)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, pool=stepper._pool):
            self._results = stepper._forward(parts, None)

    def run(self, given: Tensor) -> tuple[Tensor, Tensor]:
        self._given.copy_(given, non_blocking=True)
        self._graph.replay()
        return self._results
