"""Work that is under way or done, by number. A result can be fetched any number of times, until newer ones push it out."""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from dataclasses import dataclass
from typing import Any, Coroutine

from .errors import Refusal

_KEPT = 4_096
"""Results that are kept. Those that were fetched go first."""


@dataclass
class _Future:
    task: "asyncio.Task[dict[str, Any]]"
    fetched: bool = False


class Futures:
    """Numbers begin with the time: a client that waits through a restart must not be given another one's result."""

    def __init__(self) -> None:
        self._first = self._last = int(time.time() * 1_000) * 100
        self._all: dict[int, _Future] = {}
        self._fetched: deque[int] = deque()

    def begin(self, work: Coroutine[Any, Any, dict[str, Any]]) -> str:
        """Starts the work and answers with its number."""
        self._make_room()
        self._last += 1
        task = asyncio.create_task(work)
        # Nobody may ever ask; that is no reason to complain.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._all[self._last] = _Future(task)
        return str(self._last)

    async def wait(self, number: str, seconds: float) -> dict[str, Any]:
        """The result; a failure of the work is a 400, whatever it was."""
        if not re.fullmatch(r"\d{1,15}", number):
            raise Refusal(422, f'request_id "{number[:40]}" is not a number.')
        future = self._all.get(int(number))
        if future is None:
            if self._first < int(number) <= self._last:
                raise Refusal(410, f"The result of {number} has expired; hand the request in again.")
            raise Refusal(404, f"Future {number} not found.")
        done, _ = await asyncio.wait([future.task], timeout=seconds)
        if not done:
            raise Refusal(408, f"Future {number} is not ready yet; ask again.")
        if not future.fetched:
            future.fetched = True
            self._fetched.append(int(number))
        error = future.task.exception()
        if error is None:
            return future.task.result()
        raise Refusal(400, error.detail if isinstance(error, Refusal) else str(error) or type(error).__name__)

    def _make_room(self) -> None:
        if len(self._all) < _KEPT:
            return
        # Asked with every request: looking at all of them would take longer than the work of some.
        if self._fetched:
            del self._all[self._fetched.popleft()]
            return
        over = next((number for number, future in self._all.items() if future.task.done()), None)
        if over is not None:
            del self._all[over]
