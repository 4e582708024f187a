"""Which conversation is in which slot of the cache. What was read stays until the slot is needed, so that a conversation
goes on where it was, and one that begins as another did copies the beginning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import numpy as np

WORTH_COPYING = 16
"""A shared beginning shorter than this is read again: copying costs more than reading."""

WORTH_WAITING = 32
"""One that another conversation is about to read is waited for, if it is at least this much more than what is there."""

_LOOKED_AT = 64
"""Tokens that are compared at a time."""

_LAST = 4
"""Tokens by which conversations are told apart at first."""


@dataclass
class Slot:
    """One conversation's place."""

    index: int
    busy: bool = False
    computed: int = 0
    """Tokens whose keys and values are there, or in steps that were started."""
    planned: int = 0
    """Tokens that are known and will be."""
    used: int = 0


@dataclass(frozen=True)
class Seat:
    """A slot for a prompt, and how much of it is there already."""

    slot: Slot
    computed: int
    copy_from: Slot | None


class Slots:
    """All slots of a cache."""

    def __init__(self, count: int, length: int) -> None:
        self.all = [Slot(index) for index in range(count)]
        self._tokens = np.zeros((count, length), dtype=np.int32)
        self._clock = 0

    def clear(self) -> None:
        """After the weights changed, when nothing that was read is worth anything. Nobody may be speaking."""
        for slot in self.all:
            slot.computed = slot.planned = 0

    def seat(self, prompt: Sequence[int]) -> Seat | None:
        """A place for the prompt; None where there is none, or where waiting saves reading."""
        ids = np.asarray(prompt, dtype=np.int32)
        # The last token must be read in any case: its logits are what is asked for.
        most = len(ids) - 1
        same = self._gone_on(ids, most)
        if same is not None:
            return self._take(same, ids, same.computed, None)
        common = self._common(ids[:most])
        count = len(self.all)
        idle = np.fromiter((not slot.busy for slot in self.all), bool, count)
        computed = np.fromiter((slot.computed for slot in self.all), np.int64, count)
        planned = np.fromiter((slot.planned for slot in self.all), np.int64, count)
        used = np.fromiter((slot.used for slot in self.all), np.int64, count)
        if not idle.any():
            return None
        there = np.minimum(common, computed)
        coming = int(np.where(idle, 0, np.minimum(common, planned)).max())
        best = self.all[int(there.argmax())]
        have = int(there[best.index])
        if coming - have >= WORTH_WAITING:
            return None
        goes_on = idle & (computed > 0) & (there >= np.minimum(computed, most)) & (there >= have)
        if goes_on.any():
            return self._take(self.all[int(goes_on.argmax())], ids, have, None)
        # An empty one, or else the one that was silent for longest.
        oldest = self.all[int(np.where(idle, np.where(computed > 0, used + 1, 0), np.iinfo(np.int64).max).argmin())]
        if oldest is best:
            return self._take(oldest, ids, have, None)
        return self._take(oldest, ids, have if have >= WORTH_COPYING else 0, best if have >= WORTH_COPYING else None)

    def say(self, slot: Slot, token: int) -> None:
        """A token was drawn; it stands after everything that is known."""
        if slot.planned < self._tokens.shape[1]:
            self._tokens[slot.index, slot.planned] = token
            slot.planned += 1

    def release(self, slot: Slot) -> None:
        """The turn is over; the conversation may go on."""
        slot.busy = False
        slot.planned = slot.computed = min(slot.computed, slot.planned)
        self._clock += 1
        slot.used = self._clock

    def _gone_on(self, ids: np.ndarray, most: int) -> Slot | None:
        """The silent conversation that the prompt goes on with, the longest of several. Nearly every prompt has one, and its last
        tokens tell it from the others, which begin alike: comparing all from the start took a third of this thread's time."""
        count = len(self.all)
        ends = np.fromiter((0 if slot.busy else slot.computed for slot in self.all), np.int64, count)
        alive = np.flatnonzero((ends >= WORTH_COPYING) & (ends <= most))
        for back in range(1, _LAST + 1):
            alive = alive[self._tokens[alive, ends[alive] - back] == ids[ends[alive] - back]]
        for index in alive[np.argsort(-ends[alive], kind="stable")]:
            end = ends[index]
            if np.array_equal(self._tokens[index, :end], ids[:end]):
                return self.all[int(index)]
        return None

    def _common(self, ids: np.ndarray) -> np.ndarray:
        """How many tokens each slot begins with as these do. Most differ early, and are looked at no further."""
        common = np.zeros(len(self.all), dtype=np.int64)
        alive = np.arange(len(self.all))
        for start in range(0, len(ids), _LOOKED_AT):
            end = min(start + _LOOKED_AT, len(ids))
            differs = self._tokens[alive, start:end] != ids[start:end]
            ends = differs.any(axis=1)
            common[alive[ends]] = start + differs[ends].argmax(axis=1)
            alive = alive[~ends]
            if alive.size == 0:
                break
        common[alive] = len(ids)
        return common

    def _take(self, slot: Slot, ids: np.ndarray, computed: int, source: Slot | None) -> Seat:
        self._tokens[slot.index, : len(ids)] = ids
        slot.busy, slot.computed, slot.planned = True, computed, len(ids)
        return Seat(slot, computed, source)
