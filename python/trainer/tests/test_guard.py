"""The guard alone, over plain handlers."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from limbeck_torch.errors import Refusal
from limbeck_torch.guard import ROLES, Guarding, Tokens, guard, role_of

PATHS = [("GET", "/api/v1/training_runs"), ("POST", "/api/v1/asample"), ("POST", "/api/v1/optim_step"), ("DELETE", "/api/v1/training_runs/a/checkpoints/b")]


def tokens_file(folder: Path, **more: str) -> Path:
    """Tokens "read", "write" and "train", each with the role of its name; hashed as `packages/base/src/base/tokens-file.ts` does."""
    entries = [
        {"name": role + "er", "role": role, "salt": "ab" * 16, "hash": hashlib.sha256(("ab" * 16 + role).encode()).hexdigest(), "made": "2026-01-01T00:00:00Z", **more}
        for role in ROLES
    ]
    path = folder / "tokens.json"
    path.write_text(json.dumps({"limbeck": "tokens", "v": 1, "tokens": entries}))
    return path


def statuses(asked: list[tuple[str, str, dict[str, str]]], key: str | None = None, tokens: Tokens | None = None, host: str = "127.0.0.1") -> list[int]:
    """The status of each request, through a real server."""

    async def answer(_request: web.Request) -> web.Response:
        return web.json_response({})

    @web.middleware
    async def refusals(request: web.Request, handler: object) -> web.StreamResponse:
        try:
            return await handler(request)  # type: ignore[operator]
        except Refusal as refusal:
            return web.json_response({"detail": refusal.detail}, status=refusal.status)

    async def run() -> list[int]:
        app = web.Application(middlewares=[refusals, guard(Guarding(host, key, tokens, 100))])
        app.router.add_route("*", "/{rest:.*}", answer)
        async with TestClient(TestServer(app)) as client:
            found = []
            for method, path, headers in asked:
                data = b"x" * 101 if headers.pop("large", None) else None
                async with client.request(method, path, headers=headers, data=data) as given:
                    found.append(given.status)
            return found

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:1"}, 200),
        ({"Host": "evil.example:1"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "127.0.0.1:9", "Origin": "http://127.0.0.1:9"}, 200),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200),
        ({"large": "yes"}, 413),
    ],
)
def test_place(headers: dict[str, str], status: int) -> None:
    assert statuses([("GET", "/", headers)]) == [status]


def test_beyond_this_machine_it_has_many_names() -> None:
    assert statuses([("GET", "/", {"Host": "trainer.lan:1"})], host="0.0.0.0") == [200]


def test_roles(tmp_path: Path) -> None:
    tokens = Tokens(tokens_file(tmp_path))
    for method, path in PATHS:
        needed = ROLES.index(role_of(method, path))
        asked = [(method, path, {}), (method, path, {"X-API-Key": "guessed"}), *((method, path, {"X-API-Key": role}) for role in ROLES)]
        wanted = [401, 401, *(200 if ROLES.index(role) >= needed else 403 for role in ROLES)]
        assert statuses(asked, tokens=tokens) == wanted
    assert statuses([("GET", "/api/v1/healthz", {})], tokens=tokens) == [200]


def test_one_key_may_do_everything() -> None:
    for method, path in PATHS:
        bearer = {"Authorization": "Bearer the key"}
        assert statuses([(method, path, {}), (method, path, bearer), (method, path, {"X-API-Key": "the key"})], key="the key") == [401, 200, 200]


def test_a_token_ends_and_a_broken_file_lets_nobody_in(tmp_path: Path) -> None:
    assert Tokens(tokens_file(tmp_path, ends="2020-01-01T00:00:00.000Z")).find("train") is None
    path = tokens_file(tmp_path, ends="2999-01-01T00:00:00.000Z")
    tokens = Tokens(path)
    assert tokens.find("train") == ("trainer", "train")
    path.write_text("{")
    assert tokens.find("train") is None
    with pytest.raises(ValueError):
        Tokens(path)
