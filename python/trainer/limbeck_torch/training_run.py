"""One model that learns: an adapter on the shared base, or full weights of its own.

Its float32 parameters are the truth. Where the device computes in bfloat16, full weights have a second, rounded copy that
the passes use, and gradients are added up in float32 beside it.
"""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any, ContextManager

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from .errors import WorkFailed
from .hf_model import Model, head_of
from .lora import Adapter, AdapterSwitch
from .passes import Budget, RowOutput, free_memory, run_pass
from .requests import AdamParams, Pass
from .snapshot import Snapshot, Weights

LARGEST = 2.0**63
"""Norms in a model square its numbers: from here on the square is no float32."""


class TrainingRun:
    """Passes, steps and state of one model. All of it runs on the device's thread."""

    def __init__(
        self, identity: str, model: Model, switch: AdapterSwitch, adapter: Adapter | None, budget: Budget, rank: int, seed: int
    ) -> None:
        self.id = identity
        self.rank = rank
        self.seed = seed
        self.adapter = adapter
        self.model = model
        self._switch = switch
        self._budget = budget
        self._snapshots: list[Snapshot] = []
        self._lost: str | None = None
        self.computed = adapter.parameters() if adapter is not None else _trainable(model)
        self.masters: dict[str, Tensor] = {}
        self._gradients: dict[str, Tensor] = {}
        for name, value in self.computed.items():
            exact = value.dtype == torch.float32
            master = value if exact else value.detach().float().requires_grad_(True)
            gradient = torch.zeros_like(master, requires_grad=False)
            self.masters[name] = master
            self._gradients[name] = gradient
            master.grad = gradient
            if not exact:
                value.register_post_accumulate_grad_hook(_adder(gradient))
        self._adam = _adam_of(self.masters)

    def pass_over(self, given: Pass, backward: bool) -> list[RowOutput]:
        """A pass; with `backward` its gradients wait for the next step."""
        try:
            with self._adapted():
                return run_pass(self.model, given, self._budget, backward)
        except torch.OutOfMemoryError as error:
            # Half of the gradients may be there; nobody can tell which.
            self._clear()
            free_memory()
            self._lost = (
                "the device ran out of memory in the middle of forward_backward, and the gradients since the last step were "
                "thrown away; send smaller rows, or start the trainer with --checkpointing on or a smaller --batch-tokens"
            )
            raise WorkFailed(f"Out of memory: {self._lost}.") from error
        except WorkFailed:
            if backward:
                self._clear()
                self._lost = "a forward_backward before this step failed, and the gradients were thrown away"
            raise

    def step(self, adam: AdamParams) -> dict[str, float]:
        """One step of AdamW with decoupled decay of matrices; a gradient that is not finite changes nothing."""
        if self._lost is not None:
            lost, self._lost = self._lost, None
            raise WorkFailed(f"There is no step to make: {lost}.")
        norm = float(torch.nn.utils.get_total_norm([*self._gradients.values()]))
        if not norm * norm < float("inf"):
            self._clear()
            raise WorkFailed(
                f"The gradient's norm is {norm}. Weights and optimiser are as before. Try a smaller learning rate, a "
                "gradient clip, or look for advantages that are not finite."
            )
        for snapshot in self._snapshots:
            snapshot.keep()
        if 0 < adam.grad_clip_norm < norm:
            torch._foreach_mul_([*self._gradients.values()], adam.grad_clip_norm / (norm + 1e-6))
        for group in self._adam.param_groups:
            group.update(lr=adam.learning_rate, betas=(adam.beta1, adam.beta2), eps=adam.eps)
            group["weight_decay"] = adam.weight_decay if group["decays"] else 0.0
        self._adam.step()
        self._round()
        self._clear()
        size = float(torch.nn.utils.get_total_norm([value.detach() for value in self.masters.values()]))
        if not size < LARGEST:
            raise WorkFailed(
                f"The step made weights of the norm {size}, with the learning rate {adam.learning_rate}. They are lost: load a "
                "checkpoint, and try a smaller learning rate."
            )
        return {"limbeck/grad_norm": norm, "limbeck/learning_rate": adam.learning_rate}

    def snapshot(self) -> Snapshot:
        """The present weights, to be sampled from. They are copied only when a step is about to change them."""
        snapshot = Snapshot(self._weights())
        self._snapshots.append(snapshot)
        most = 8 if self.adapter is not None else 2
        if len(self._snapshots) > most:
            self._snapshots.pop(0).forget(
                f"This version of {self.id} is gone: only the last {most} unnamed ones are kept. Save it again, or by name."
            )
        return snapshot

    def save_state(self, file: Path) -> None:
        """Parameters and optimiser, to train on from."""
        tensors = {f"parameters.{name}": value.detach() for name, value in self.masters.items()}
        steps = 0
        for name, value in self.masters.items():
            state = self._adam.state.get(value)
            if state:
                tensors[f"first.{name}"], tensors[f"second.{name}"] = state["exp_avg"], state["exp_avg_sq"]
                steps = int(state["step"])
        save_file({name: value.cpu().contiguous() for name, value in tensors.items()}, file, metadata={"steps": str(steps)})

    def load_state(self, file: Path, optimizer: bool) -> None:
        """What `save_state` wrote."""
        for snapshot in self._snapshots:
            snapshot.keep()
        with safe_open(file, framework="pt") as tensors, torch.no_grad():
            names = set(tensors.keys())
            steps = float((tensors.metadata() or {}).get("steps", "0"))
            for name, value in self.masters.items():
                value.copy_(tensors.get_tensor(f"parameters.{name}"))
                if optimizer and f"first.{name}" in names:
                    place = value.device if self._adam.defaults["fused"] else torch.device("cpu")
                    self._adam.state[value] = {
                        "step": torch.tensor(steps, dtype=torch.float32, device=place),
                        "exp_avg": tensors.get_tensor(f"first.{name}").to(value.device),
                        "exp_avg_sq": tensors.get_tensor(f"second.{name}").to(value.device),
                    }
        self._round()
        self._clear()

    def close(self) -> None:
        """Frees everything; what was sampled from it is gone too."""
        for snapshot in self._snapshots:
            snapshot.forget(f"The model {self.id} was unloaded.")
        self._snapshots.clear()
        self.masters.clear()
        self._gradients.clear()
        self.computed = {}
        self._adam.state.clear()
        self._adam.param_groups.clear()
        self.adapter = None
        self.model = None
        free_memory()

    def _weights(self) -> Weights:
        return Weights(adapter=self.adapter, full=None if self.adapter is not None else self.computed)

    def _adapted(self) -> ContextManager[Any]:
        return nullcontext() if self.adapter is None else self._switch.using(self.adapter)

    def _round(self) -> None:
        with torch.no_grad():
            for name, value in self.computed.items():
                if value is not self.masters[name]:
                    value.copy_(self.masters[name])

    def _clear(self) -> None:
        torch._foreach_zero_([*self._gradients.values()])


def _trainable(model: Model) -> dict[str, Tensor]:
    model.requires_grad_(True)
    if head_of(model).bias is not None:
        raise WorkFailed("The model's head has a bias, which is not computed here; train an adapter.")
    return dict(model.named_parameters())


def _adder(gradient: Tensor) -> Any:
    def add(parameter: Tensor) -> None:
        if parameter.grad is not None:
            gradient.add_(parameter.grad)
            parameter.grad = None

    return add


def _adam_of(parameters: dict[str, Tensor]) -> torch.optim.AdamW:
    """Weight decay is for matrices, as everywhere in Limbeck."""
    groups = [
        {"params": [value for value in parameters.values() if (value.dim() > 1) == decays], "decays": decays}
        for decays in (True, False)
    ]
    fused = next(iter(parameters.values())).is_cuda
    return torch.optim.AdamW([group for group in groups if group["params"]], fused=fused)
