"""Checkpoints on disk: `MODEL/weights/NAME` to train on from, `MODEL/sampler_weights/NAME` to sample from. A checkpoint
appears whole, by one rename. Names come from clients; they are checked before they become paths."""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import tarfile
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable, Iterator

from .errors import Refusal
from .requests import is_name

WEIGHTS, SAMPLER = "weights", "sampler_weights"
STATE = "training.safetensors"
_INFO = "limbeck.json"
_PART_BYTES = 4 * 1024 * 1024
_PATH = re.compile(r"tinker://([\w-]+)/(?:(weights|sampler_weights)/)?([\w-]+)")


class Checkpoints:
    """The checkpoints in one folder."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._writing: set[Path] = set()

    def reserve(self, model: str, kind: str, name: str) -> Path:
        """Refuses a name that is taken, also by a save that is under way."""
        folder = self._place(model, kind, name)
        if folder in self._writing or folder.exists():
            raise Refusal(409, f'Checkpoint "{name}" exists already; choose another name or delete it.')
        self._writing.add(folder)
        return folder

    def save(self, folder: Path, base_model: str, rank: int, write: Callable[[Path], None]) -> None:
        """Writes what `reserve` made room for."""
        temporary = folder.parent / f".writing-{folder.name}"
        try:
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir(parents=True)
            write(temporary)
            info = {"base_model": base_model, "rank": rank, "time": datetime.now(timezone.utc).isoformat()}
            (temporary / _INFO).write_text(json.dumps(info) + "\n")
            temporary.rename(folder)
        finally:
            self._writing.discard(folder)
            shutil.rmtree(temporary, ignore_errors=True)

    def find(self, path: str, kind: str) -> Path:
        """Where the files of a checkpoint are; 404 where it is not, 425 while it is written."""
        match = _PATH.fullmatch(path)
        if match is None or (match[2] or kind) != kind:
            raise Refusal(400, f'"{path[:120]}" is not tinker://MODEL/{kind}/NAME.')
        return self._found(self._place(match[1], kind, match[3]))

    def info(self, folder: Path) -> dict[str, Any]:
        """Base model, rank and time."""
        return json.loads((folder / _INFO).read_text())

    def list(self, model: str) -> list[dict[str, Any]]:
        """All of a model, complete ones only."""
        listed = []
        for kind, called in ((WEIGHTS, "training"), (SAMPLER, "sampler")):
            folder = self._root / (model if is_name(model) else "-") / kind
            for one in sorted(folder.iterdir() if folder.is_dir() else []):
                if is_name(one.name):
                    path = f"tinker://{model}/{kind}/{one.name}"
                    time = self.info(one)["time"]
                    listed.append({"checkpoint_id": one.name, "checkpoint_type": called, "time": time, "tinker_path": path})
        return listed

    def remove(self, model: str, kind: str, name: str) -> None:
        """Deletes it."""
        shutil.rmtree(self._found(self._place(model, kind, name)))

    def archive(self, model: str, name: str) -> Iterator[bytes]:
        """Weights to sample from as tar in gzip, piece by piece."""
        folder = self._found(self._place(model, SAMPLER, name))
        sink = _Sink()
        with gzip.GzipFile(fileobj=sink, mode="wb", compresslevel=1) as packed:
            for file in sorted(folder.iterdir()):
                if file.name == _INFO or file.name.startswith("."):
                    continue
                header = tarfile.TarInfo(file.name)
                header.size = file.stat().st_size
                packed.write(header.tobuf(tarfile.USTAR_FORMAT))
                with file.open("rb") as data:
                    while part := data.read(_PART_BYTES):
                        packed.write(part)
                        yield sink.take()
                packed.write(bytes(-header.size % tarfile.BLOCKSIZE))
            packed.write(bytes(2 * tarfile.BLOCKSIZE))
        yield sink.take()

    def _found(self, folder: Path) -> Path:
        if folder in self._writing:
            raise Refusal(425, "The checkpoint is still being written; ask again.")
        if folder.is_dir():
            return folder
        raise Refusal(404, "Checkpoint not found.")

    def _place(self, model: str, kind: str, name: str) -> Path:
        if not is_name(model) or not is_name(name):
            raise Refusal(422, "A checkpoint's name has letters, digits, _ and -, at most 255 of them.")
        return self._root / model / kind / name


class _Sink(io.RawIOBase):
    """Collects what tarfile writes until it is taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        """Everything since the last time."""
        parts, self._parts = self._parts, []
        return b"".join(parts)
