"""How fast the server is on this machine, against transformers' `generate` and a plain PyTorch loop.

    python bench/gpu.py make FOLDER               # a random model of TinyLlama's shape
    python bench/gpu.py sample FOLDER [--peer]    # 64 conversations of ALFWorld-like turns
    python bench/gpu.py train FOLDER [--peer]     # 128 rows, one step
    python bench/gpu.py update FOLDER             # one OPID-like update of 16 x 8 episodes

Prints one line of JSON a measurement. The client is a process of its own and speaks HTTP, as Limbeck's does.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np
import torch

OPENING, SHARED, OBSERVATION, TURNS = 400, 360, 60, 10
ANSWERS = (8, 48)
"""Tokens: of the opening, of it shared by a group, of an observation; turns of an episode; least and most of an answer."""

SKILL = 120
CANDIDATES = 64


def shape(tiny: bool) -> dict[str, int]:
    """TinyLlama-1.1B's sizes, or ones for a dry run."""
    if tiny:
        return dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, intermediate_size=96, vocab_size=512)
    return dict(hidden_size=2048, num_hidden_layers=22, num_attention_heads=32, num_key_value_heads=4, intermediate_size=5632, vocab_size=32000)


def make(folder: Path, tiny: bool) -> None:
    """Random weights: speed does not depend on what they are."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    with torch.device(device):
        model = LlamaForCausalLM(LlamaConfig(**shape(tiny), max_position_embeddings=2048, tie_word_embeddings=False))
    model.to(torch.bfloat16).save_pretrained(folder)
    print(json.dumps({"made": str(folder), "parameters": sum(p.numel() for p in model.parameters())}))


class Dialogue:
    """One conversation: what it reads and how long its answers are follow from its number."""

    def __init__(self, number: int, vocabulary: int, turns: int) -> None:
        group, self.rng = random.Random(number // 8), random.Random(1_000 + number)
        self.vocabulary = vocabulary
        self.tokens = [group.randrange(vocabulary) for _ in range(SHARED)] + self.words(OPENING - SHARED)
        self.answers = [self.rng.randint(*ANSWERS) for _ in range(turns)]
        self.mask = [0] * len(self.tokens)
        self.logprobs = [0.0] * len(self.tokens)

    def words(self, count: int) -> list[int]:
        return [self.rng.randrange(self.vocabulary) for _ in range(count)]

    def read(self) -> None:
        self.add(self.words(OBSERVATION), None)

    def add(self, tokens: list[int], logprobs: list[float] | None) -> None:
        self.tokens += tokens
        self.mask += [0 if logprobs is None else 1] * len(tokens)
        self.logprobs += logprobs or [0.0] * len(tokens)


class Client:
    """The protocol, as much of it as is measured."""

    def __init__(self, http: aiohttp.ClientSession, url: str) -> None:
        self.http, self.url = http, f"{url}/api/v1/"

    async def post(self, path: str, body: Any) -> Any:
        async with self.http.post(self.url + path, json=body) as response:
            answer = await response.json()
            if response.status != 200:
                raise RuntimeError(f"{path}: {response.status} {answer}")
            return answer

    async def work(self, path: str, body: Any) -> Any:
        return await self.result((await self.post(path, body))["request_id"])

    async def result(self, number: str) -> Any:
        """Asks until there is one."""
        while True:
            async with self.http.post(self.url + "retrieve_future", json={"request_id": number}) as response:
                if response.status == 408:
                    continue
                answer = await response.json()
                if response.status != 200:
                    raise RuntimeError(f"{response.status} {answer}")
                return answer

    async def statistics(self) -> Any:
        async with self.http.get(self.url + "limbeck/statistics") as response:
            return await response.json()

    async def model(self, rank: int, name: str) -> str:
        session = (await self.post("create_session", {"tags": [], "sdk_version": "0"}))["session_id"]
        asked = {"session_id": session, "base_model": name, "lora_config": {"rank": rank, "seed": 1}}
        return (await self.work("create_model", asked))["model_id"]

    async def sampler(self, model: str, number: int) -> str:
        asked = {"model_id": model, "sampling_session_seq_id": number, "seq_id": number}
        return (await self.work("save_weights_for_sampler", asked))["sampling_session_id"]


async def play(client: Client, source: dict[str, Any], talks: list[Dialogue], turns: int, in_flight: int) -> int:
    """Everybody's turns, each conversation at its own pace; the number of tokens said."""
    slots = asyncio.Semaphore(in_flight)

    async def one(number: int, talk: Dialogue) -> int:
        said = 0
        for turn in range(turns):
            talk.read()
            params = {"max_tokens": talk.answers[turn], "seed": number * 100 + turn, "temperature": 1.0}
            async with slots:
                answer = await client.work(
                    "asample", {**source, "seq_id": turn, "prompt": {"chunks": [{"tokens": talk.tokens}]}, "sampling_params": params}
                )
            [sequence] = answer["sequences"]
            talk.add(sequence["tokens"], sequence["logprobs"])
            said += len(sequence["tokens"])
        return said

    return sum(await asyncio.gather(*(one(number, talk) for number, talk in enumerate(talks))))


def packed(values: Any, kind: str) -> str:
    return base64.b64encode(np.asarray(values, dtype=kind).tobytes()).decode()


def datum(tokens: list[int], mask: list[int], logprobs: list[float]) -> dict[str, Any]:
    """A row for importance sampling, with advantages of both signs."""
    floats = {"weights": mask[1:], "logprobs": logprobs[1:], "advantages": [(at % 7 - 3) * 1e-3 * on for at, on in enumerate(mask[1:])]}
    return {
        "model_input": {"chunks": [{"tokens": tokens[:-1]}]},
        "loss_fn_inputs": {"target_tokens": {"data": tokens[1:]}, **{name: {"data": values} for name, values in floats.items()}},
    }


async def passes(client: Client, kind: str, model: str, data: list[Any], loss: str) -> list[Any]:
    """A batch in requests of 4 MB, which is what the server asks of clients; they are handed in one after the other."""
    parts: list[list[Any]] = [[]]
    size = 0
    for row in data:
        own = len(json.dumps(row))
        if parts[-1] and size + own > 4_000_000:
            parts.append([])
            size = 0
        parts[-1].append(row)
        size += own
    answers = [await client.post(kind, {"model_id": model, f"{kind}_input": {"data": part, "loss_fn": loss}}) for part in parts]
    return [await client.result(answer["request_id"]) for answer in answers]


ADAM = {"learning_rate": 1e-5, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "weight_decay": 0.0, "grad_clip_norm": 1.0}


async def measure_sampling(client: Client, given: argparse.Namespace) -> None:
    vocabulary = shape(given.tiny)["vocab_size"]
    source = {"base_model": given.folder.name}
    await play(client, source, [Dialogue(number + 5_000, vocabulary, 2) for number in range(given.talks)], 2, given.talks)
    before = await client.statistics()
    began = time.perf_counter()
    said = await play(client, source, [Dialogue(number, vocabulary, given.turns) for number in range(given.talks)], given.turns, given.talks)
    seconds = time.perf_counter() - began
    after = await client.statistics()
    counts = {key: after["counts"][key] - before["counts"][key] for key in after["counts"]}
    print(json.dumps({"sampling": "server", "tokens": said, "seconds": seconds, "tokens_per_second": said / seconds, "counts": counts}), flush=True)


async def measure_training(client: Client, given: argparse.Namespace) -> None:
    rows = training_rows(given)
    tokens = sum(len(row[0]) for row in rows)
    for rank in (32, 0):
        model = await client.model(rank, given.folder.name)
        for attempt in range(3):
            began = time.perf_counter()
            await passes(client, "forward_backward", model, [datum(*row) for row in rows], "importance_sampling")
            await client.work("optim_step", {"model_id": model, "adam_params": ADAM})
            seconds = time.perf_counter() - began
            train = (await client.statistics())["seconds"]["train"]
            line = {"training": "server", "rank": rank, "attempt": attempt, "tokens": tokens, "seconds": seconds, "tokens_per_second": tokens / seconds}
            print(json.dumps({**line, "device_seconds": train - (0 if attempt == 0 else last)}), flush=True)
            last = train
        await client.work("unload_model", {"model_id": model})


def training_rows(given: argparse.Namespace) -> list[tuple[list[int], list[int], list[float]]]:
    """128 whole episodes; what was said is random words."""
    rows = []
    for number in range(given.episodes):
        talk = Dialogue(number, shape(given.tiny)["vocab_size"], given.turns)
        for answer in talk.answers:
            talk.read()
            talk.add(talk.words(answer), [-10.0] * answer)
        rows.append((talk.tokens, talk.mask, talk.logprobs))
    return rows


async def measure_update(client: Client, given: argparse.Namespace) -> None:
    """Play, score with a skill in front, learn from outcome and teacher, step: twice, the first to warm up."""
    name, vocabulary = given.folder.name, shape(given.tiny)["vocab_size"]
    for rank in given.ranks:
        model = await client.model(rank, name)
        for attempt in range(given.attempts):
            usage = Usage()
            before = await client.statistics()
            times = {}
            began = mark = time.perf_counter()
            session = await client.sampler(model, attempt + 1)
            talks = [Dialogue(number, vocabulary, given.turns) for number in range(given.episodes)]
            said = await play(client, {"sampling_session_id": session}, talks, given.turns, given.in_flight)
            times["play"], mark = time.perf_counter() - mark, time.perf_counter()
            wide = await teach(client, name, talks, vocabulary, given.in_flight)
            times["teach"], mark = time.perf_counter() - mark, time.perf_counter()
            data = [datum(talk.tokens, talk.mask, talk.logprobs) for talk in talks]
            await passes(client, "forward", model, [{**row, "limbeck": part} for row, part in zip(data, wide)], "cross_entropy")
            times["forward"], mark = time.perf_counter() - mark, time.perf_counter()
            slopes = [{**part, "slopes": packed(np.full(part["size"], -1e-6), "<f4")} for part in wide]
            await passes(client, "forward_backward", model, [{**row, "limbeck": part} for row, part in zip(data, slopes)], "importance_sampling")
            await client.work("optim_step", {"model_id": model, "adam_params": ADAM})
            times["learn"] = time.perf_counter() - mark
            seconds = time.perf_counter() - began
            after = await client.statistics()
            device = {key: after["seconds"][key] - before["seconds"][key] for key in after["seconds"]}
            line = {"update": "opid", "rank": rank, "attempt": attempt, "episodes": given.episodes, "said": said, "row_tokens": sum(len(talk.tokens) for talk in talks)}
            print(json.dumps({**line, "seconds": seconds, "phases": times, "device_thread": device, "gpu_busy": usage.close()}), flush=True)
        await client.work("unload_model", {"model_id": model})


async def teach(client: Client, name: str, talks: list[Dialogue], vocabulary: int, in_flight: int) -> list[dict[str, Any]]:
    """The base model reads every episode with a skill in front: its likeliest words at every word that was said."""
    slots = asyncio.Semaphore(in_flight)
    rng = random.Random(3)
    skill = [rng.randrange(vocabulary) for _ in range(SKILL)]

    async def one(talk: Dialogue) -> dict[str, Any]:
        places = [at for at, on in enumerate(talk.mask) if on]
        body = {
            "base_model": name,
            "prompt": {"chunks": [{"tokens": skill + talk.tokens}]},
            "sampling_params": {"max_tokens": 1, "temperature": 0},
            "prompt_logprobs": True,
            "limbeck": {"top": {"count": CANDIDATES, "positions": packed([at + SKILL for at in places], "<i4")}},
        }
        async with slots:
            answer = await client.work("asample", body)
        ids = answer["limbeck"]["top"]["ids"]
        positions = packed([at - 1 for at in places], "<i4")
        return {"count": CANDIDATES, "positions": positions, "ids": ids, "size": len(places) * CANDIDATES}

    return list(await asyncio.gather(*(one(talk) for talk in talks)))


class Usage:
    """The share of time in which the GPU ran anything, as the driver counts it, every 100 ms."""

    def __init__(self) -> None:
        command = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "-lms", "100"]
        try:
            self._process: Any = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        except OSError:
            self._process = None

    def close(self) -> float | None:
        if self._process is None:
            return None
        self._process.terminate()
        values = [float(line) for line in self._process.communicate()[0].split() if line.strip().isdigit()]
        return sum(values) / max(1, len(values)) / 100


def peer_sampling(given: argparse.Namespace) -> None:
    """transformers' `generate`: all together, turn by turn, padded on the left; everyone waits for the longest answer."""
    from transformers import AutoModelForCausalLM

    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = AutoModelForCausalLM.from_pretrained(given.folder, dtype=torch.bfloat16).to(device).eval()
    vocabulary = shape(given.tiny)["vocab_size"]

    def run(turns: int, first: int) -> int:
        talks = [Dialogue(number + first, vocabulary, turns) for number in range(given.talks)]
        said = 0
        for turn in range(turns):
            for talk in talks:
                talk.read()
            longest = max(len(talk.tokens) for talk in talks)
            ids = torch.tensor([[0] * (longest - len(talk.tokens)) + talk.tokens for talk in talks], device=device)
            mask = torch.tensor([[0] * (longest - len(talk.tokens)) + [1] * len(talk.tokens) for talk in talks], device=device)
            most = max(talk.answers[turn] for talk in talks)
            out = model.generate(ids, attention_mask=mask, do_sample=True, top_k=0, max_new_tokens=most, min_new_tokens=most, pad_token_id=0)
            for talk, row in zip(talks, out[:, longest:].tolist()):
                answer = row[: talk.answers[turn]]
                talk.add(answer, [0.0] * len(answer))
                said += len(answer)
        return said

    run(1, 5_000)
    began = time.perf_counter()
    said = run(given.turns, 0)
    seconds = time.perf_counter() - began
    print(json.dumps({"sampling": "generate", "tokens": said, "seconds": seconds, "tokens_per_second": said / seconds}), flush=True)


def peer_training(given: argparse.Namespace) -> None:
    """A plain loop: bfloat16 weights, batches of 8 rows padded to the longest, float32 log-probabilities, fused AdamW."""
    from transformers import AutoModelForCausalLM

    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = AutoModelForCausalLM.from_pretrained(given.folder, dtype=torch.bfloat16).to(device).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=device == "cuda")
    rows = training_rows(given)
    tokens = sum(len(row[0]) for row in rows)
    for attempt in range(3):
        began = time.perf_counter()
        for start in range(0, len(rows), 8):
            part = rows[start : start + 8]
            longest = max(len(row[0]) for row in part)
            ids = torch.tensor([row[0] + [0] * (longest - len(row[0])) for row in part], device=device)
            mask = torch.tensor([row[1] + [0] * (longest - len(row[0])) for row in part], device=device)[:, 1:]
            there = torch.tensor([[1] * len(row[0]) + [0] * (longest - len(row[0])) for row in part], device=device)
            logits = model(input_ids=ids, attention_mask=there, use_cache=False).logits[:, :-1].float()
            logprobs = torch.log_softmax(logits, -1).gather(2, ids[:, 1:, None])[..., 0]
            (-(torch.exp(logprobs - logprobs.detach()) * mask * 1e-3).sum()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if device == "cuda":
            torch.cuda.synchronize()
        seconds = time.perf_counter() - began
        line = {"training": "plain", "attempt": attempt, "tokens": tokens, "seconds": seconds, "tokens_per_second": tokens / seconds}
        print(json.dumps(line), flush=True)


async def against_server(given: argparse.Namespace, measure: Any) -> None:
    """Starts a server, measures, and ends it."""
    with tempfile.TemporaryDirectory() as checkpoints:
        command = [sys.executable, "-m", "limbeck_torch", "--model", str(given.folder), "--checkpoints", checkpoints, "--port", "0"]
        server = await asyncio.create_subprocess_exec(*command, *given.server.split(), stdout=subprocess.PIPE)
        assert server.stdout is not None
        began = time.perf_counter()
        url = json.loads(await server.stdout.readline())["url"]
        print(json.dumps({"started_seconds": time.perf_counter() - began}), flush=True)
        try:
            timeout = aiohttp.ClientTimeout(total=600)
            connector = aiohttp.TCPConnector(limit=0)
            async with aiohttp.ClientSession(timeout=timeout, connector=connector) as http:
                await measure(Client(http, url), given)
        finally:
            server.terminate()
            await server.wait()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("make", "sample", "train", "update"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peer", action="store_true", help="measure the peer instead of the server")
    parser.add_argument("--tiny", action="store_true", help="small sizes, for a dry run")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--in-flight", type=int, default=64, help="requests at a time in an update. Default: 64")
    parser.add_argument("--episodes", type=int, default=128, help="of an update, and rows to train on. Default: 128")
    parser.add_argument("--talks", type=int, default=64, help="conversations to sample. Default: 64")
    parser.add_argument("--attempts", type=int, default=2)
    parser.add_argument("--ranks", type=int, nargs="+", default=[32, 0])
    parser.add_argument("--server", default="", help="more words for the server's command line")
    given = parser.parse_args()
    if given.what == "make":
        make(given.folder, given.tiny)
    elif given.peer:
        (peer_sampling if given.what == "sample" else peer_training)(given)
    else:
        asyncio.run(against_server(given, {"sample": measure_sampling, "train": measure_training, "update": measure_update}[given.what]))


if __name__ == "__main__":
    main()
