"""The one thread that touches the device. Work of models is done in the order in which it came; sampling fills the time in
between, one step at a time."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from collections import deque
from typing import Any, Callable

from .sampler import Sampler
from .scores import ScoreJob
from .turn import Turn

_log = logging.getLogger("limbeck_torch")
Job = tuple[Callable[[], Any], "asyncio.Future[Any]"]


class DeviceThread:
    """Runs jobs and the sampler until it is closed."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        self._jobs: deque[Job] = deque()
        self._inbox: deque[Turn | ScoreJob] = deque()
        self._wake = threading.Condition()
        self._closing = False
        self.seconds = {"train": 0.0, "sample": 0.0, "idle": 0.0}
        self._loop = asyncio.get_running_loop()
        # This thread often waits for the device without the interpreter; getting it back must not take the usual 5 ms.
        sys.setswitchinterval(0.0002)
        self._thread = threading.Thread(target=self._run, name="device", daemon=True)
        self._thread.start()

    def do(self, work: Callable[[], Any]) -> "asyncio.Future[Any]":
        """After everything that was handed in before."""
        future: asyncio.Future[Any] = self._loop.create_future()
        with self._wake:
            self._jobs.append((work, future))
            self._wake.notify()
        return future

    def sample(self, work: Turn | ScoreJob) -> None:
        """Speaks or scores, beside the others."""
        with self._wake:
            self._inbox.append(work)
            self._wake.notify()

    def answer(self, future: "asyncio.Future[Any]") -> Callable[[Any], None]:
        """A function for any thread that settles a future of this one's loop."""
        return lambda result: self._loop.call_soon_threadsafe(_settle, future, result)

    async def close(self) -> None:
        """Ends the thread after what it is doing."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        while True:
            began = time.perf_counter()
            with self._wake:
                while not (self._closing or self._jobs or self._inbox or self._sampler.busy()):
                    self._wake.wait()
                if self._closing:
                    return
                job = self._jobs.popleft() if self._jobs else None
                while self._inbox:
                    self._sampler.add(self._inbox.popleft())
            self.seconds["idle"] += time.perf_counter() - began
            began = time.perf_counter()
            try:
                if job is None:
                    self._sampler.advance()
                else:
                    self._sampler.settle()
            except Exception as error:
                # Nobody would notice that this thread had ended; requests would wait for ever.
                _log.exception("Sampling failed.")
                self._sampler.fail_all(error)
            if job is None:
                self.seconds["sample"] += time.perf_counter() - began
                continue
            self._work(job)
            self.seconds["train"] += time.perf_counter() - began

    def _work(self, job: Job) -> None:
        work, future = job
        try:
            result: Any = work()
        except Exception as error:
            result = error
        self.answer(future)(result)


def _settle(future: "asyncio.Future[Any]", result: Any) -> None:
    if future.done():
        return
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)
