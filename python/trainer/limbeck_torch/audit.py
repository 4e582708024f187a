"""The log of what was refused and what was changed: the same lines as those of the servers in Node (`packages/base/src/base/audit-log.ts`)."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from aiohttp import web

from .errors import Refusal
from .guard import WHO, role_of

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

MOST_BYTES = 10 * 1024 * 1024
KEPT = 4
LONGEST_PATH = 300
REFUSED = (401, 403, 413)


class AuditLog:
    """Opened at once, so that a file that cannot be written is told before the server listens. A file of `most_bytes` is put aside as FILE.1."""

    def __init__(self, path: Path, most_bytes: int = MOST_BYTES) -> None:
        self._path = path
        self._most = most_bytes
        path.parent.mkdir(parents=True, exist_ok=True)
        self._append("")

    def write(self, entry: dict[str, Any]) -> None:
        """A disk that is full stops nobody's work: the line is lost."""
        try:
            if self._path.exists() and self._path.stat().st_size >= self._most:
                self._turn_over()
            time = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            self._append(json.dumps({"time": time, **entry}, separators=(",", ":")) + "\n")
        except OSError:
            pass

    def _append(self, text: str) -> None:
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, text.encode())
        finally:
            os.close(file)

    def _turn_over(self) -> None:
        for number in range(KEPT, 0, -1):
            older = self._path if number == 1 else self._path.with_name(f"{self._path.name}.{number - 1}")
            if older.exists():
                older.replace(self._path.with_name(f"{self._path.name}.{number}"))


def audit(log: AuditLog) -> Any:
    """Stands before the guard, and sees what it refuses."""

    @web.middleware
    async def note(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            response = await handler(request)
            _write(log, request, response.status)
            return response
        except Refusal as refusal:
            _write(log, request, refusal.status)
            raise

    return note


def _write(log: AuditLog, request: web.Request, status: int) -> None:
    role = role_of(request.method, request.path)
    if role == "read" and status not in REFUSED:
        return
    log.write(
        {
            "server": "trainer",
            "who": request.get(WHO),
            "from": request.remote,
            "method": request.method,
            "role": role,
            "status": status,
            "path": request.path[:LONGEST_PATH],
        }
    )
