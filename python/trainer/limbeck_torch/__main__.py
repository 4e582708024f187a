"""`python -m limbeck_torch --model DIR --checkpoints DIR`: serves until it is told to end."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
import threading
from pathlib import Path

import torch

from .gguf import as_folder
from .guard import is_loopback
from .hf_model import NotServed
from .server import Server
from .settings import Settings

_TYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="limbeck-torch", description="Serves a Hugging Face folder in the Tinker protocol.")
    parser.add_argument("--model", type=Path, required=True, help="folder with config.json, safetensors and tokenizer, or a GGUF file")
    parser.add_argument("--checkpoints", type=Path, required=True, help="folder of checkpoints; they outlive the server")
    parser.add_argument("--name", help="what clients call the base model. Default: the name of the folder or file")
    parser.add_argument("--host", default="127.0.0.1", help="any other address needs a key in LIMBECK_TRAINER_KEY, or --tokens")
    parser.add_argument("--tokens", type=Path, help="tokens of people and programs, with roles; limbeck tokens makes the file")
    parser.add_argument("--audit", type=Path, help="log of what was refused and what was changed: a JSON object on each line")
    parser.add_argument("--port", type=int, default=4143, help="0: any free one. Default: 4143")
    parser.add_argument("--device", help="cuda, cuda:1, cpu. Default: cuda where there is one")
    parser.add_argument("--dtype", choices=_TYPES, default="bfloat16", help="on a GPU; a CPU computes in float32")
    parser.add_argument("--context", type=int, help="most tokens of a conversation. Default: the model's own")
    parser.add_argument("--rows", type=int, default=128, help="conversations that speak in one step. Default: 128")
    parser.add_argument("--slots", type=int, default=256, help="conversations that are kept to go on. Default: 256")
    parser.add_argument("--chunk", type=int, default=2_048, help="most tokens of a sampling step. Default: 2048")
    parser.add_argument("--no-graphs", action="store_true", help="no CUDA graphs")
    parser.add_argument("--batch-tokens", type=int, help="tokens of a micro-batch. Default: what fits")
    parser.add_argument("--checkpointing", choices=("auto", "on", "off"), default="auto", help="of activations")
    parser.add_argument("--memory-share", type=float, default=0.95, help="of the GPU's memory. Default: 0.95")
    parser.add_argument("--max-models", type=int, default=8, help="models that learn at the same time. Default: 8")
    parser.add_argument("--max-rank", type=int, default=64, help="largest rank of an adapter. Default: 64")
    parser.add_argument("--lora-only", action="store_true", help="do not train full weights")
    parser.add_argument("--threads", type=int, help="threads on a CPU. Default: PyTorch's own")
    parser.add_argument("--with-parent", action="store_true", help="end when the standard input ends")
    return parser.parse_args()


def _settings(given: argparse.Namespace) -> Settings:
    return Settings(
        model=as_folder(given.model, given.checkpoints),
        checkpoints=given.checkpoints,
        name=given.name or given.model.resolve().name,
        device=given.device or ("cuda" if torch.cuda.is_available() else "cpu"),
        dtype=_TYPES[given.dtype],
        context=given.context,
        rows=given.rows,
        slots=given.slots,
        chunk=given.chunk,
        graphs=not given.no_graphs,
        batch_tokens=given.batch_tokens,
        checkpointing=given.checkpointing,
        memory_share=given.memory_share,
        max_models=given.max_models,
        max_rank=given.max_rank,
        full_weights=not given.lora_only,
        api_key=os.environ.get("LIMBECK_TRAINER_KEY") or None,
        tokens=given.tokens,
        audit=given.audit,
    )


async def _serve(given: argparse.Namespace) -> None:
    settings = _settings(given)
    if not is_loopback(given.host) and settings.api_key is None and settings.tokens is None:
        raise NotServed(f"A trainer on {given.host} can be reached from other machines; set LIMBECK_TRAINER_KEY, give --tokens FILE, or stay on 127.0.0.1.")
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, over.set)
    if given.with_parent:
        # Whoever started it holds the other end; when that process is gone, so is the input.
        threading.Thread(target=_watch_input, args=(loop, over), daemon=True).start()
    server = await Server.start(settings, given.host, given.port)
    _say({"event": "listening", "url": server.url, "model": server.workshop.base_name, "device": settings.device})
    await over.wait()
    await server.close()
    _say({"event": "stopped"})


def _watch_input(loop: asyncio.AbstractEventLoop, over: asyncio.Event) -> None:
    while os.read(0, 4_096):
        pass
    loop.call_soon_threadsafe(over.set)


def _say(event: dict[str, str]) -> None:
    print(json.dumps(event), flush=True)


def main() -> None:
    """Exit code 1, with one line on the standard error, where the server cannot start."""
    given = _arguments()
    if given.threads is not None:
        torch.set_num_threads(given.threads)
    try:
        asyncio.run(_serve(given))
    except (NotServed, OSError, ValueError, torch.OutOfMemoryError) as error:
        print(f"limbeck-torch: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
