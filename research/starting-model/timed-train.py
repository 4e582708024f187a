"""Trains a small model on lessons for a time, and keeps what it was on the way.

    python timed-train.py WORK OUT --seconds 300 [--batch-tokens 32768] [--wait 60] [--device cuda]

WORK is what `mistakes/make.ts --prepare` leaves: `start/`, `training.json` and `lessons/lessons-*.bin` (or `.bin.xz`; rows as
`torch-train.py` reads them). Lessons that come later are learnt too. OUT/1, OUT/2, … become model folders in bfloat16 after
the shares of the time in MARKS, each with `mark.json`: what had been read by then. The rate falls over the whole time, so the
last of them is not merely the longest trained. Prints JSON lines.
"""

import argparse
import json
import lzma
import math
import shutil
import sys
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "writer"))
from train import LEARNT, TOKEN, Rows, Writer, say  # noqa: E402 its layers and its batches are ours

READ = 1 << 14
MARKS = (0.03, 0.1, 0.25, 0.5, 0.75, 1.0)


class Weighted(Rows):
    """Rows whose entries tell what is learnt and what is read for practice."""

    def weighted(self, chosen, reading_weight):
        longest = int(-(-self.lengths[chosen].max() // 32) * 32)
        chosen = torch.from_numpy(chosen).to(self.starts.device)
        at = torch.arange(longest, device=chosen.device)
        inside = at[None] < self.long[chosen][:, None]
        entries = self.entries[(self.starts[chosen][:, None] + at).clamp_(max=len(self.entries) - 1)] * inside
        learnt = entries >= LEARNT
        read = (entries >= READ) & ~learnt
        return (entries & TOKEN).long(), learnt.float() + read.float() * reading_weight


def loss_of(model, ids, weight):
    """Mean cross-entropy by weight, and that of the decisions alone."""
    kept = weight[:, 1:].reshape(-1).nonzero().squeeze(1)
    hidden = model.hidden(ids)[:, :-1].reshape(-1, model.config["hidden_size"]).index_select(0, kept)
    losses = F.cross_entropy(model.logits(hidden), ids[:, 1:].reshape(-1)[kept], reduction="none")
    weight = weight[:, 1:].reshape(-1)[kept]
    own = weight == 1
    return (losses * weight).sum() / weight.sum(), (losses.detach() * own).sum() / own.sum()


def rows_of(path):
    data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    joined = np.frombuffer(data, dtype="<u2").astype(np.int32)
    rows, at = [], 0
    while at < len(joined):
        length = int(joined[at])
        rows.append(joined[at + 1 : at + 1 + length])
        at += length + 1
    return rows


def new_rows(folder, known):
    paths = [path for path in sorted(folder.glob("lessons-*.bin*")) if path.suffix in (".bin", ".xz") and path not in known]
    known.update(paths)
    return [row for path in paths for row in rows_of(path)]


def save(model, start, out, mark):
    made = out.with_name(f"{out.name}.making")
    shutil.rmtree(made, ignore_errors=True)
    shutil.copytree(start, made)
    config = json.loads((start / "config.json").read_text())
    (made / "config.json").write_text(json.dumps({**config, "torch_dtype": "bfloat16"}, indent=2) + "\n")
    tensors = {name: model.weights[key].detach().to(torch.bfloat16).cpu().contiguous() for key, name in model.names.items()}
    save_file(tensors, made / "model.safetensors", metadata={"format": "pt"})
    (made / "model.safetensors").chmod(0o644)
    (made / "mark.json").write_text(json.dumps(mark) + "\n")
    shutil.rmtree(out, ignore_errors=True)
    made.rename(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--batch-tokens", type=int, default=32_768)
    parser.add_argument("--start", type=Path, help="default: WORK/start")
    parser.add_argument("--rate", type=float, help="default: that of training.json")
    parser.add_argument("--wait", type=float, default=0, help="longest wait for the first lessons")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    given = parser.parse_args()
    settings = json.loads((given.work / "training.json").read_text())
    start = given.start or given.work / "start"
    torch.manual_seed(settings["seed"])
    torch.set_float32_matmul_precision("high")
    device = given.device
    model = Writer(json.loads((start / "config.json").read_text()), load_file(start / "model.safetensors")).to(device)
    adam = torch.optim.AdamW(
        model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-8, weight_decay=0.01, fused=device != "cpu"
    )
    known, lessons, asked = set(), [], time.time()
    while not lessons:
        lessons = new_rows(given.work / "lessons", known)
        if not lessons and time.time() - asked > given.wait:
            raise SystemExit(f"No lessons in {given.work}/lessons.")
        time.sleep(0 if lessons else 0.5)
    rows = Weighted(lessons, device)
    name = torch.cuda.get_device_name(0) if device != "cpu" else "cpu"
    say(lessons=len(lessons), tokens=int(rows.lengths.sum()), parameters=sum(p.numel() for p in model.parameters()), device=name)
    rng = np.random.default_rng(settings["seed"])
    source = rows.batches(given.batch_tokens, rng, least=4)
    high, low, warm = given.rate or settings["learningRate"], settings["finalLearningRate"], settings["warmupUpdates"]
    begun, said, looked, update, seen, marks = time.time(), 0.0, 0.0, 0, 0, 0
    total, since = torch.zeros((), device=device), 0
    while marks < len(MARKS):
        chosen = next(source)
        spent = time.time() - begun
        share = min(1.0, spent / given.seconds)
        rate = low + (high - low) * (1 + math.cos(math.pi * share)) / 2
        for group in adam.param_groups:
            group["lr"] = rate * min(1.0, (update + 1) / warm)
        loss, own = loss_of(model, *rows.weighted(chosen, settings["readingWeight"]))
        adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), settings["clipNorm"])
        adam.step()
        total += own
        since += 1
        update += 1
        seen += int(rows.lengths[chosen].sum())
        if update == 1 or spent - said >= 10 or share >= 1:
            said = spent
            say(update=update, seconds=spent, decisions=(total / since).item(), tokensSeen=seen)
            total.zero_()
            since = 0
        if share >= MARKS[marks]:
            marks += 1
            mark = {"seconds": spent, "update": update, "tokensSeen": seen, "lessons": len(lessons), "device": name}
            save(model, start, given.out / str(marks), mark)
        if spent - looked >= 20:
            looked = spent
            more = new_rows(given.work / "lessons", known)
            if more:
                lessons += more
                rows = Weighted(lessons, device)
                source = rows.batches(given.batch_tokens, rng, least=4)
                say(lessons=len(lessons), tokens=int(rows.lengths.sum()))


if __name__ == "__main__":
    main()
