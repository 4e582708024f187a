"""Who may ask, from where, and how much: the same guard as the servers in Node (`packages/base/src/base/guarded-server.ts`)."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from .errors import Refusal

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

ROLES = ("read", "write", "train")
# Where a request holds the name of its token.
WHO = "limbeck.who"
OPEN = "/api/v1/healthz"
# What changes nothing that is kept, though it is sent with POST. Any other POST and every DELETE needs "train".
READING = frozenset(
    "/api/v1/" + name
    for name in (
        "client/config telemetry create_session session_heartbeat retrieve_future create_sampling_session asample get_info weights_info forward"
    ).split()
)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return host.lower() == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Tokens:
    """The file that `limbeck tokens` writes. It is read again when it has changed; while it cannot be read, nobody is let in."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = _stamp(path)
        self._entries = _read(path)

    def find(self, token: str) -> tuple[str, str] | None:
        """Name and role."""
        stamp = _stamp(self._path)
        if stamp != self._seen:
            self._seen = stamp
            try:
                self._entries = _read(self._path)
            except ValueError:
                self._entries = []
        found = None
        for entry in self._entries:
            digest = hashlib.sha256((entry["salt"] + token).encode()).hexdigest()
            # All are compared, so that time tells nothing of who has one.
            if hmac.compare_digest(digest, entry["hash"]) and not _is_over(entry):
                found = (entry["name"], entry["role"])
        return found


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        state = os.stat(path)
        return (state.st_mtime_ns, state.st_size, state.st_ino)
    except OSError:
        return None


def _read(path: Path) -> list[dict[str, str]]:
    try:
        content = json.loads(path.read_text())
        entries = content["tokens"]
        known = content["limbeck"] == "tokens" and content["v"] == 1 and isinstance(entries, list)
        if known and all(entry["role"] in ROLES and isinstance(entry["salt"] + entry["hash"] + entry["name"], str) for entry in entries):
            return entries
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f'The tokens "{path}" cannot be read; "limbeck tokens add" writes such a file.') from error
    raise ValueError(f'"{path}" is no file of tokens; "limbeck tokens add" writes such a file.')


def _is_over(entry: dict[str, str]) -> bool:
    ends = entry.get("ends")
    return ends is not None and datetime.now(timezone.utc) >= datetime.fromisoformat(ends.replace("Z", "+00:00"))


@dataclass(frozen=True)
class Guarding:
    """`host` is the address it was told to listen at."""

    host: str
    api_key: str | None
    tokens: Tokens | None
    most_bytes: int


def guard(given: Guarding) -> Any:
    """Stands before everything else; its refusals are those of the protocol."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        _check_place(request, given.host)
        if (request.content_length or 0) > given.most_bytes:
            raise Refusal(413, f"A request has at most {given.most_bytes} bytes here; send less at once.")
        _check_role(request, given)
        return await handler(request)

    return check


def _check_place(request: web.Request, host: str) -> None:
    asked = request.headers.get("Host", "")
    name = asked.rsplit(":", 1)[0] if asked.rsplit(":", 1)[-1].isdigit() else asked
    # A foreign name that points at this machine (DNS rebinding) would make foreign pages its own.
    if is_loopback(host) and not is_loopback(name):
        raise Refusal(403, f"This server serves this machine only, not {asked[:100]!r}; use the address it printed.")
    origin = request.headers.get("Origin")
    if origin is not None:
        if urlsplit(origin).netloc != asked or asked == "":
            raise Refusal(403, "Pages of other sites may not ask this server.")
        return
    navigates = request.headers.get("Sec-Fetch-Mode") == "navigate" and request.method == "GET"
    if request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site") and not navigates:
        raise Refusal(403, "Pages of other sites may not ask this server.")


def role_of(method: str, path: str) -> str:
    """What a request needs."""
    return "read" if method in ("GET", "HEAD", "OPTIONS") or (method == "POST" and path in READING) else "train"


def _check_role(request: web.Request, given: Guarding) -> None:
    if request.path == OPEN or (not given.api_key and given.tokens is None):
        return
    bearer = request.headers.get("Authorization", "").removeprefix("Bearer ")
    shown = request.headers.get("X-API-Key", bearer)
    if given.api_key and hmac.compare_digest(shown.encode(), given.api_key.encode()):
        return
    caller = given.tokens.find(shown) if given.tokens is not None and shown else None
    if caller is None:
        raise Refusal(401, "The API key is missing or wrong; send it as X-API-Key.")
    name, role = caller
    request[WHO] = name
    needed = role_of(request.method, request.path)
    if ROLES.index(role) < ROLES.index(needed):
        raise Refusal(403, f'This needs the role "{needed}"; the token of "{name}" has "{role}".')
