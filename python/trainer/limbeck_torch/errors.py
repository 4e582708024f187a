"""Refusals in the shape that clients of the protocol expect."""

from __future__ import annotations

from typing import Any


class Refusal(Exception):
    """A request that is not served, with its HTTP status. `detail` is a text, or FastAPI's list of faults."""

    def __init__(self, status: int, detail: Any) -> None:
        super().__init__(detail if isinstance(detail, str) else f"status {status}")
        self.status = status
        self.detail = detail


class WorkFailed(Exception):
    """Work that was taken and could not be done; the message goes to the client as a failed future."""
