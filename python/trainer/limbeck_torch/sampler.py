"""Continuous batching: conversations enter when they want to speak and leave when they have spoken, and all that are there
share every step. While the device works on a step, the tokens of the step before are looked at."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from .draw import Restriction, draw
from .errors import WorkFailed
from .passes import free_memory
from .scores import Finish, ScoreJob, run_scores
from .slots import Slots
from .snapshot import Base, Source
from .stepper import Plan, Stepper
from .turn import Turn


@dataclass
class _Flight:
    """A step that was started: who gets its tokens, and where they will be."""

    turns: list[Turn]
    results: Tensor
    event: torch.cuda.Event | None


@dataclass
class Counts:
    """What was done so far."""

    sampled: int = 0
    read: int = 0
    reused: int = 0
    steps: int = 0


class Sampler:
    """Turns and prompt scores, on the device's thread."""

    def __init__(self, stepper: Stepper, slots: int, rows: int, context: int, chunk: int, score_tokens: int) -> None:
        self._stepper = stepper
        self._slots = Slots(slots, context)
        self._rows = rows
        self._chunk = chunk
        self._score_tokens = score_tokens
        self._waiting: deque[Turn] = deque()
        self._scores: deque[ScoreJob] = deque()
        self._active: list[Turn] = []
        self._flight: _Flight | None = None
        self._finishes: list[Finish] = []
        self.counts = Counts()

    def add(self, work: Turn | ScoreJob) -> None:
        """Work to do, first come, first served among those with the same weights."""
        if isinstance(work, Turn):
            self._waiting.append(work)
        else:
            self._scores.append(work)

    def busy(self) -> bool:
        """Whether there is anything to do."""
        return bool(self._waiting or self._scores or self._active or self._flight or self._finishes)

    @torch.no_grad()
    def advance(self) -> None:
        """A wave of scores, or one step."""
        if self._score_wave():
            return
        self._give_out([])
        self._admit()
        if any(turn.confined for turn in self._active):
            # What may be said next depends on the token before.
            self.settle()
        try:
            flight = self._launch()
        except Exception as error:
            self._fail(error)
            return
        before, self._flight = self._flight, flight
        if before is not None:
            self._collect(before)

    def settle(self) -> None:
        """Waits for the step that was started, so that the device is free for something else."""
        before, self._flight = self._flight, None
        if before is not None:
            self._collect(before)
        self._give_out([])

    def _give_out(self, started: list[Finish]) -> None:
        """The answers of the wave before, while the device works on the one that was started."""
        before, self._finishes = self._finishes, started
        for finish in before:
            try:
                finish()
            except Exception as error:
                finish.fail(error)

    def fail_all(self, error: Exception) -> None:
        """After something that no part of it expected: everybody is told, and the next ones find it empty."""
        self._fail(error)
        for work in (*self._waiting, *self._scores):
            work.fail(error)
        self._waiting.clear()
        self._scores.clear()

    def _score_wave(self) -> bool:
        if not self._scores:
            return False
        source = self._scores[0].source
        if not isinstance(source, Base) and not self._ready(source):
            return False
        jobs: list[ScoreJob] = []
        tokens = 0
        for job in list(self._scores):
            if job.source is source and (not jobs or tokens + len(job.prompt) <= self._score_tokens):
                jobs.append(job)
                tokens += len(job.prompt)
                self._scores.remove(job)
        self._give_out(run_scores(self._stepper, jobs, self._score_tokens))
        return True

    def _ready(self, source: Source) -> bool:
        """Whether these weights are in the model that samples; they are put there once nobody is speaking."""
        if self._stepper.loaded is source:
            return True
        if self._active:
            return False
        self.settle()
        self._slots.clear()
        try:
            self._stepper.load(source)
        except Exception as error:
            self._refuse(source, error)
            return False
        return True

    def _refuse(self, source: Source, error: Exception) -> None:
        for turn in [turn for turn in self._waiting if turn.source is source]:
            self._waiting.remove(turn)
            turn.fail(error)
        for job in [job for job in self._scores if job.source is source]:
            self._scores.remove(job)
            job.fail(error)

    def _admit(self) -> None:
        loaded = self._stepper.loaded
        if self._scores and self._active and self._scores[0].source is not loaded:
            return
        if not self._waiting or not self._ready(self._waiting[0].source):
            return
        loaded = self._stepper.loaded
        for turn in list(self._waiting):
            if len(self._active) >= self._rows or turn.source is not loaded:
                return
            seat = self._slots.seat(turn.prompt)
            if seat is None:
                continue
            self._waiting.remove(turn)
            turn.slot, turn.fed = seat.slot, seat.computed
            self._active.append(turn)
            if seat.copy_from is not None:
                self._stepper.copy_slot(seat.copy_from.index, seat.slot.index, seat.computed)
            self.counts.reused += seat.computed

    def _launch(self) -> _Flight | None:
        plan, turns = self._plan()
        if plan is None:
            return None
        logits, results = self._stepper.run(plan)
        self.counts.steps += 1
        self.counts.read += len(plan.ids)
        if not turns:
            return _Flight([], torch.zeros((3, 0)), None)
        restriction = self._restriction(turns, logits)
        if restriction is not None:
            device = logits.device
            temperature, uniform = (torch.from_numpy(part).to(device) for part in (plan.temperature, plan.uniform))
            drawn = draw(logits, temperature.float(), uniform, restriction)
            self._stepper.last[torch.from_numpy(plan.slots[plan.out]).to(device)] = drawn.tokens
            results = drawn.stacked()
        if not results.is_cuda:
            return _Flight(turns, results, None)
        host = torch.empty(results.shape, dtype=results.dtype, pin_memory=True)
        host.copy_(results, non_blocking=True)
        event = torch.cuda.Event()
        event.record()
        return _Flight(turns, host, event)

    def _plan(self) -> tuple[Plan | None, list[Turn]]:
        """One token of everybody who speaks, and as much as there is room for of those who still read."""
        ids: list[int] = []
        slots: list[int] = []
        positions: list[int] = []
        out: list[int] = []
        segments: list[tuple[int, int, int, int]] = []
        turns: list[Turn] = []
        reading = [turn for turn in self._active if turn.fed < len(turn.prompt)]
        for turn in self._active:
            if turn.fed < len(turn.prompt) or turn.launched >= turn.limit or turn.slot is None:
                continue
            segments.append((turn.slot.index, len(ids), len(ids) + 1, turn.slot.computed))
            ids.append(-1)
            slots.append(turn.slot.index)
            positions.append(turn.slot.computed)
            self._ask(turn, len(ids), out, turns)
            turn.slot.computed += 1
        for turn in reading:
            room = self._chunk - len(ids)
            if room <= 0 or turn.slot is None:
                break
            part = turn.prompt[turn.fed : turn.fed + room]
            segments.append((turn.slot.index, len(ids), len(ids) + len(part), turn.slot.computed))
            ids.extend(part)
            slots.extend([turn.slot.index] * len(part))
            positions.extend(range(turn.slot.computed, turn.slot.computed + len(part)))
            turn.fed += len(part)
            turn.slot.computed += len(part)
            if turn.fed == len(turn.prompt):
                self._ask(turn, len(ids), out, turns)
        if not ids:
            return None, []
        arrays = [np.asarray(values, dtype=np.int64) for values in (ids, slots, positions, out)]
        warm, drawn = ([turn.temperature for turn in turns], [turn.rng.uniform() for turn in turns])
        floats = [np.asarray(values, dtype=np.float64) for values in (warm, drawn)]
        return Plan(arrays[0], arrays[1], arrays[2], arrays[3], floats[0], floats[1], segments), turns

    @staticmethod
    def _ask(turn: Turn, end: int, out: list[int], turns: list[Turn]) -> None:
        out.append(end - 1)
        turns.append(turn)
        turn.launched += 1

    @staticmethod
    def _restriction(turns: list[Turn], logits: Tensor) -> Restriction | None:
        if not any(turn.restricted for turn in turns):
            return None
        size = logits.shape[-1]
        allowed = None
        if any(turn.confined for turn in turns):
            mask = np.ones((len(turns), size), dtype=bool)
            for row, turn in enumerate(turns):
                if turn.confined:
                    mask[row] = False
                    mask[row, list(turn.allowed or {})] = True
            allowed = torch.from_numpy(mask).to(logits.device)
        column = lambda values: torch.tensor(values, dtype=torch.float64, device=logits.device)  # noqa: E731
        return Restriction(
            top_k=column([turn.top_k if turn.top_k > 0 else size for turn in turns]),
            top_p=column([turn.top_p for turn in turns]),
            min_p=column([turn.min_p for turn in turns]),
            allowed=allowed,
        )

    def _collect(self, flight: _Flight) -> None:
        if flight.event is not None:
            flight.event.synchronize()
        tokens, logprobs, sampled = flight.results.tolist() if flight.turns else ([], [], [])
        for turn, token, logprob, chance in zip(flight.turns, tokens, logprobs, sampled):
            if turn.over or turn.slot is None:
                continue
            if logprob != logprob:
                turn.fail(WorkFailed("The model's output is not finite; its weights are broken. Load a checkpoint."))
            else:
                self.counts.sampled += 1
                self._slots.say(turn.slot, int(token))
                turn.take(int(token), logprob, chance)
            if turn.over:
                self._slots.release(turn.slot)
                self._active.remove(turn)

    def _fail(self, error: Exception) -> None:
        """A step that could not be made ends everybody's turn, and what was read is not trusted any more."""
        told: Exception = error
        if isinstance(error, torch.OutOfMemoryError):
            free_memory()
            self._chunk = max(64, self._chunk // 2)
            told = WorkFailed("Out of memory on the device while sampling. Ask again, or start the trainer with fewer --rows.")
        self._flight = None
        for turn in self._active:
            turn.fail(told)
            if turn.slot is not None:
                self._slots.release(turn.slot)
        self._active.clear()
        self._slots.clear()
