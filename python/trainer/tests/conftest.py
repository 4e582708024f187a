"""A tiny random model in a folder, and a server over it, on the CPU."""

from __future__ import annotations

import asyncio
import json
import threading
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any, Iterator

import pytest
import torch
from transformers import Qwen3Config, Qwen3ForCausalLM

from limbeck_torch.server import Server
from limbeck_torch.settings import Settings

VOCABULARY = 61


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    config = Qwen3Config(
        vocab_size=VOCABULARY,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        intermediate_size=48,
        max_position_embeddings=128,
        initializer_range=0.4,
        tie_word_embeddings=True,
    )
    path = tmp_path_factory.mktemp("models") / "tiny"
    Qwen3ForCausalLM(config).save_pretrained(path)
    return path


class Client:
    """Plain requests, and waiting for their results."""

    def __init__(self, url: str) -> None:
        self.url = url

    def call(self, path: str, body: Any = None, method: str | None = None, key: str | None = None, **headers: str) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/api/v1/{path}", data=data, method=method)
        request.add_header("Content-Type", "application/json")
        if key is not None:
            request.add_header("X-API-Key", key)
        for name, value in headers.items():
            request.add_header(name.replace("_", "-"), value)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                text = response.read()
                return response.status, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            text = error.read()
            return error.code, json.loads(text) if text else None

    def work(self, path: str, body: Any) -> tuple[int, Any]:
        status, submitted = self.call(path, body)
        return (status, submitted) if status != 200 else self.call("retrieve_future", {"request_id": submitted["request_id"]})

    def done(self, path: str, body: Any) -> Any:
        status, answer = self.work(path, body)
        assert status == 200, answer
        return answer

    def model(self, rank: int = 4) -> str:
        _, session = self.call("create_session", {"tags": [], "sdk_version": "0"})
        asked = {"session_id": session["session_id"], "base_model": "tiny", "lora_config": {"rank": rank, "seed": 1}}
        return self.done("create_model", asked)["model_id"]

    def forward(self, model: str, data: list[Any], loss: str = "cross_entropy", backward: bool = False) -> Any:
        kind = "forward_backward" if backward else "forward"
        return self.done(kind, {"model_id": model, f"{kind}_input": {"data": data, "loss_fn": loss}})

    def step(self, model: str, **adam: float) -> dict[str, float]:
        return self.done("optim_step", {"model_id": model, "adam_params": adam})["metrics"]

    def sample(self, **given: Any) -> Any:
        return self.done("asample", given)


class Running:
    """A server in a thread of its own."""

    def __init__(self, settings: Settings) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.server = asyncio.run_coroutine_threadsafe(Server.start(settings), self.loop).result(60)
        self.client = Client(self.server.url)

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self.server.close(), self.loop).result(60)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()


@pytest.fixture(scope="session")
def settings(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(model=folder, checkpoints=tmp_path_factory.mktemp("checkpoints"), rows=16, slots=24, chunk=64, max_models=64)


@pytest.fixture(scope="session")
def running(settings: Settings) -> Iterator[Running]:
    started = Running(settings)
    yield started
    started.close()


@pytest.fixture()
def client(running: Running) -> Client:
    return running.client


@pytest.fixture()
def locked(settings: Settings) -> Iterator[Client]:
    started = Running(replace(settings, api_key="tml-secret"))
    yield started.client
    started.close()


def datum(tokens: list[int], **inputs: list[float]) -> dict[str, Any]:
    """A row: all but its last token in, all but its first as targets."""
    given = {name: {"data": values} for name, values in inputs.items()}
    return {
        "model_input": {"chunks": [{"tokens": tokens[:-1]}]},
        "loss_fn_inputs": {"target_tokens": {"data": tokens[1:]}, **given},
    }


def prompt(tokens: list[int]) -> dict[str, Any]:
    """Tokens as the protocol's chunks."""
    return {"chunks": [{"tokens": tokens}]}
