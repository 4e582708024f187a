"""Everything the server holds: the base model, sessions, models that learn, samplers, checkpoints and work under way."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable

import torch
from safetensors.torch import save_file

from .attention import slot_bytes
from .checkpoints import Checkpoints
from .device_thread import DeviceThread
from .errors import Refusal, WorkFailed
from .futures import Futures
from .hf_model import open_model, shape_of
from .lora import AdapterSwitch, fresh_adapter
from .passes import Budget, free_memory
from .sampler import Sampler
from .settings import Settings, batch_budget
from .snapshot import Base, Saved, Source
from .stepper import Stepper
from .training_run import TrainingRun

_CLEAN_UP_SECONDS = 30.0


@dataclass
class HeldRun:
    """A model that learns, and what the protocol remembers of it."""

    run: TrainingRun
    session: str
    metadata: Any
    created: str = field(default_factory=lambda: datetime.now(timezone.utc).isoformat())
    seen: dict[int, tuple[str, str]] = field(default_factory=dict)
    """What a `seq_id` stands for: a hash of its payload, and the number of the work."""
    requests: int = 0


class Workshop:
    """Opened once, inside the server's loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.base_name = settings.name or settings.model.resolve().name
        self.device = torch.device(settings.device)
        self.dtype = torch.float32 if self.device.type == "cpu" else settings.dtype
        if self.device.type == "cuda" and settings.memory_share < 1:
            torch.cuda.set_per_process_memory_fraction(settings.memory_share)
        # cuDNN plans its attention anew for every shape, and every micro-batch of real episodes has another one.
        torch.backends.cuda.enable_cudnn_sdp(False)
        self.base = open_model(settings.model, self.device, self.dtype)
        self.shape = shape_of(self.base, settings.context)
        slots = self._slot_count()
        rows = min(settings.rows, slots)
        # The copy that samples is made before adapters hang on the base model.
        stepper = Stepper(self.base, self.shape, slots, rows, settings.graphs)
        self._switch = AdapterSwitch(self.base)
        self.budget: Budget = batch_budget(settings, self.shape, self.device)
        self.sampler = Sampler(stepper, slots, rows, self.shape.context, settings.chunk, self.budget.tokens)
        self.thread = DeviceThread(self.sampler)
        self.futures = Futures()
        self.checkpoints = Checkpoints(settings.checkpoints.resolve())
        self.base_source: Source = Base()
        self.samplers: dict[str, Source] = {}
        self.runs: dict[str, HeldRun] = {}
        self._saved: dict[Path, Saved] = {}
        self._sessions: dict[str, float | None] = {}
        self._opening = 0
        self._cleaner = asyncio.create_task(self._clean_up())

    def open_session(self) -> str:
        """A new session; one that never gives a sign of life never expires."""
        identity = fresh_id("session")
        self._sessions[identity] = None
        return identity

    def touch(self, session: str, beat: bool) -> None:
        """A sign of life; 404 where there is no such session."""
        if session not in self._sessions:
            raise Refusal(404, f"Session {session[:60]} not found.")
        if beat:
            self._sessions[session] = time.monotonic()

    def run(self, identity: str) -> HeldRun:
        """A model that is loaded."""
        held = self.runs.get(identity)
        if held is None:
            raise Refusal(404, f"Model {identity[:60]} not found: it is not loaded.")
        return held

    async def create_run(self, identity: str, session: str, rank: int, seed: int, metadata: Any) -> HeldRun:
        """A model that learns, from the base model."""
        least = 0 if self.settings.full_weights else 1
        if not least <= rank <= self.settings.max_rank:
            raise Refusal(400, f"LoRA rank {rank} is not served; it must be between {least} and {self.settings.max_rank}.")
        if len(self.runs) + self._opening >= self.settings.max_models:
            raise Refusal(400, f"There is no room: {self.settings.max_models} models are loaded. Unload one, or raise --max-models.")
        self._opening += 1
        try:
            run = await self.thread.do(lambda: self._open_run(identity, rank, seed))
        finally:
            self._opening -= 1
        held = HeldRun(run, session, metadata)
        self.runs[identity] = held
        return held

    async def unload(self, identity: str) -> None:
        """Forgets a model, and the samplers of its versions."""
        held = self.runs.pop(identity, None)
        if held is not None:
            await self.thread.do(held.run.close)

    def saved(self, path: str) -> Source:
        """Weights that were saved to be sampled from."""
        folder = self.checkpoints.find(path, "sampler_weights")
        rank = int(self.checkpoints.info(folder)["rank"])
        return self._saved.setdefault(folder, Saved(folder, rank, self.device))

    def forget_saved(self, model: str, name: str) -> None:
        """After its files were deleted: another checkpoint may get the same name."""
        for folder in [folder for folder in self._saved if folder.parts[-3:] == (model, "sampler_weights", name)]:
            del self._saved[folder]

    @staticmethod
    def path_of(source: Saved) -> str:
        """What clients call saved weights."""
        model, kind, name = source.folder.parts[-3:]
        return f"tinker://{model}/{kind}/{name}"

    def writer(self, run: TrainingRun) -> Callable[[Path], None]:
        """Writes files to sample from elsewhere: an adapter in PEFT's layout, or a model folder."""

        def write(folder: Path) -> None:
            if run.adapter is not None:
                run.adapter.save(folder, self.base_name)
                return
            for file in self.settings.model.iterdir():
                if file.suffix in (".json", ".txt", ".jinja", ".model") and "safetensors" not in file.name:
                    shutil.copyfile(file, folder / file.name)
            tensors = {name: value.detach().cpu().contiguous() for name, value in run.computed.items()}
            save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})

        return write

    async def close(self) -> None:
        """Ends the device's thread."""
        self._cleaner.cancel()
        await self.thread.close()

    def _open_run(self, identity: str, rank: int, seed: int) -> TrainingRun:
        try:
            if rank > 0:
                adapter = fresh_adapter(self.base, rank, seed)
                model = self.base
            else:
                adapter = None
                model = open_model(self.settings.model, self.device, self.dtype)
            if self.budget.checkpointing:
                model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
            return TrainingRun(identity, model, self._switch, adapter, self.budget, rank, seed)
        except torch.OutOfMemoryError as error:
            free_memory()
            what = "full weights (rank 0); train an adapter" if rank == 0 else f"an adapter of rank {rank}; take a smaller one"
            raise WorkFailed(f"Out of memory on the device: there is no room for {what}, or unload other models.") from error

    def _slot_count(self) -> int:
        """As many as are asked for and fit into a third of the memory that is left."""
        if self.device.type != "cuda":
            return self.settings.slots
        free, _ = torch.cuda.mem_get_info()
        fitting = int(free * self.settings.memory_share / 3) // slot_bytes(self.shape, self.dtype)
        return max(1, min(self.settings.slots, fitting))

    async def _clean_up(self) -> None:
        """Closes sessions that fell silent, with their models."""
        while True:
            await asyncio.sleep(min(_CLEAN_UP_SECONDS, self.settings.session_seconds))
            now = time.monotonic()
            for session, beat in list(self._sessions.items()):
                if beat is not None and now - beat >= self.settings.session_seconds:
                    del self._sessions[session]
                    for identity, held in list(self.runs.items()):
                        if held.session == session:
                            await self.unload(identity)


def fresh_id(kind: str) -> str:
    """`session_` and 8 hex digits, for example."""
    return f"{kind}_{secrets.token_hex(4)}"
