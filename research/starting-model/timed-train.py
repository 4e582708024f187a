"""Trains a small model on lessons for a time, and keeps what it was on the way.

    python timed-train.py WORK OUT --seconds 300 [--batch-tokens 32768] [--wait 60] [--device cuda]

WORK is what `mistakes/make.ts --prepare` leaves: `start/`, `training.json` and `lessons/lessons-*.bin` (or `.bin.xz`; rows as
`torch-train.py` reads them). Lessons that come later are learnt too. Where there is `careless/`, those lessons are learnt at the end: first what is right, then the
mistakes. OUT/1, OUT/2, … become model folders in bfloat16 after
the shares of the time in MARKS, each with `mark.json`: what had been read by then. The rate falls over the whole time, so the
last of them is not merely the longest trained. `--start` goes on from a model with the same words. Prints JSON lines.
"""

import argparse
import json
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
from train import LEARNT, PARTS, TOKEN, Writer, norm, rows_of, say  # noqa: E402 its layers are ours

READ = 1 << 14
MARKS = (0.03, 0.1, 0.25, 0.5, 0.75, 1.0)


class Bucketed:
    """Rows on the device, in batches of a few fixed shapes: the rows of a batch are about equally long."""

    def __init__(self, rows, widths, most_tokens, device):
        self.lengths = np.array([len(row) for row in rows])
        self.starts = torch.from_numpy(np.cumsum(self.lengths) - self.lengths).to(device)
        self.long = torch.from_numpy(self.lengths).to(device)
        self.entries = torch.from_numpy(np.concatenate(rows)).to(device)
        self.widths, self.counts = widths, [max(1, most_tokens // width) for width in widths]
        self.bucket = np.searchsorted(widths, self.lengths)

    def batches(self, rng):
        """The width's number and the rows; what does not fill a batch waits for another round."""
        while True:
            order, made = rng.permutation(len(self.lengths)), []
            for number, count in enumerate(self.counts):
                own = order[self.bucket[order] == number]
                if 0 < len(own) < count:
                    own = rng.choice(own, count)
                made += [(number, own[at : at + count]) for at in range(0, len(own) - count + 1, count)]
            for at in rng.permutation(len(made)):
                yield made[at]

    def fill(self, number, chosen, ids, weight, reading_weight):
        """What follows a row cannot be seen from it, and weighs nothing."""
        chosen = torch.from_numpy(chosen).to(self.starts.device, non_blocking=True)
        at = torch.arange(self.widths[number], device=chosen.device)
        inside = at[None] < self.long[chosen][:, None]
        entries = self.entries[(self.starts[chosen][:, None] + at).clamp_(max=len(self.entries) - 1)] * inside
        learnt = entries >= LEARNT
        ids.copy_(entries & TOKEN)
        weight.copy_(learnt.float() + ((entries >= READ) & ~learnt).float() * reading_weight)


class Looked(torch.autograd.Function):
    """Rows of a table, with a gradient by products: that of the library's own counts on the host, which cannot be recorded."""

    @staticmethod
    def forward(context, ids, table):
        context.save_for_backward(ids)
        context.size = table.shape[0]
        return F.embedding(ids, table)

    @staticmethod
    def backward(context, grad):
        (ids,) = context.saved_tensors
        hot = (ids.reshape(-1, 1) == torch.arange(context.size, device=ids.device)).to(grad.dtype)
        return None, hot.T @ grad.reshape(len(hot), -1)


class Learner(Writer):
    """The same function; angles are computed once for every width."""

    def __init__(self, config, tensors):
        super().__init__(config, tensors)
        self.angles = {}

    def hidden(self, ids):
        config, size, width = self.config, self.config["head_dim"], ids.shape[1]
        if width not in self.angles:
            half = torch.arange(0, size, 2, device=ids.device, dtype=torch.float32) / size
            angles = torch.outer(torch.arange(width, device=ids.device).float(), config["rope_theta"] ** -half)
            self.angles[width] = torch.cat([angles.cos()] * 2, -1), torch.cat([angles.sin()] * 2, -1)
        cos, sin = self.angles[width]
        x = Looked.apply(ids, self.tensor("model.embed_tokens.weight"))
        for layer in range(config["num_hidden_layers"]):
            x = self.block(x, cos, sin, *[self.tensor(f"model.layers.{layer}.{part}.weight") for part in PARTS])
        return norm(x, self.tensor("model.norm.weight"), config["rms_norm_eps"])


def loss_of(model, ids, weight):
    """Mean cross-entropy by weight, and that of the decisions alone. Every place is computed: no shape depends on the rows."""
    hidden = model.hidden(ids)[:, :-1].reshape(-1, model.config["hidden_size"])
    losses = F.cross_entropy(model.logits(hidden), ids[:, 1:].reshape(-1), reduction="none")
    weight = weight[:, 1:].reshape(-1)
    own = (weight == 1).float()
    return (losses * weight).sum() / weight.sum(), (losses.detach() * own).sum() / own.sum()


class Step:
    """The gradient of one shape of batches; on a GPU recorded once and played again, so that no time goes into starting kernels."""

    def __init__(self, model, width, count, device):
        self.model, self.graph = model, None
        self.ids = torch.zeros(count, width, dtype=torch.long, device=device)
        self.weight = torch.ones(count, width, device=device)

    def record(self):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                self.model.zero_grad(set_to_none=True)
                loss_of(self.model, self.ids, self.weight)[0].backward()
        torch.cuda.current_stream().wait_stream(side)
        self.model.zero_grad(set_to_none=True)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss, self.own = loss_of(self.model, self.ids, self.weight)
            loss.backward()
        self.grads = [one.grad for one in self.model.parameters()]
        self.graph = graph

    def run(self):
        if self.graph is None:
            self.model.zero_grad(set_to_none=True)
            loss, own = loss_of(self.model, self.ids, self.weight)
            loss.backward()
            return own
        self.graph.replay()
        for one, grad in zip(self.model.parameters(), self.grads):
            one.grad = grad
        return self.own


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
    parser.add_argument("--then", type=float, default=0.7, help="share of the time after which WORK/careless is learnt instead")
    parser.add_argument("--wait", type=float, default=0, help="longest wait for the first lessons")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    given = parser.parse_args()
    settings = json.loads((given.work / "training.json").read_text())
    start = given.start or given.work / "start"
    torch.manual_seed(settings["seed"])
    torch.set_float32_matmul_precision("high")
    device = given.device
    model = Learner(json.loads((start / "config.json").read_text()), load_file(start / "model.safetensors")).to(device)
    adam = torch.optim.AdamW(
        model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-8, weight_decay=0.01, fused=device != "cpu"
    )
    known, lessons, asked = set(), [], time.time()
    while not lessons:
        lessons = new_rows(given.work / "lessons", known)
        if not lessons and time.time() - asked > given.wait:
            raise SystemExit(f"No lessons in {given.work}/lessons.")
        time.sleep(0 if lessons else 0.5)
    careless = new_rows(given.work / "careless", known)
    switched = not careless
    most = max(len(row) for row in lessons + careless)
    widths = sorted({min(-(-most * part // 8 // 32) * 32 + 32, -(-most // 32) * 32 + 32) for part in (1, 2, 3, 4, 5, 6, 8)})
    # Later lessons may be a little longer; those are cut.
    fit = lambda some: [row[: widths[-1]] for row in some]  # noqa: E731
    rows = Bucketed(fit(lessons), widths, given.batch_tokens, device)
    name = torch.cuda.get_device_name(0) if device != "cpu" else "cpu"
    say(lessons=len(lessons), tokens=int(rows.lengths.sum()), parameters=sum(p.numel() for p in model.parameters()), device=name)
    steps = [Step(model, width, count, device) for width, count in zip(widths, rows.counts)]
    recorded = time.time()
    try:
        if device != "cpu":
            for step in steps:
                step.record()
    except Exception as error:  # noqa: BLE001 without a recording it is slower and the same
        for step in steps:
            step.graph = None
        torch.cuda.synchronize()
        say(notRecorded=f"{type(error).__name__}: {error}"[:300])
    say(widths=widths, counts=rows.counts, recording=time.time() - recorded)
    rng = np.random.default_rng(settings["seed"])
    source = rows.batches(rng)
    high, low, warm = given.rate or settings["learningRate"], settings["finalLearningRate"], settings["warmupUpdates"]
    begun, said, looked, update, seen, marks = time.time(), 0.0, 0.0, 0, 0, 0
    total, since = torch.zeros((), device=device), 0
    while marks < len(MARKS):
        spent = time.time() - begun
        share = min(1.0, spent / given.seconds)
        if share >= given.then and not switched:
            switched = True
            rows = Bucketed(fit(careless), widths, given.batch_tokens, device)
            source = rows.batches(rng)
            say(careless=len(careless), tokens=int(rows.lengths.sum()))
        number, chosen = next(source)
        rate = low + (high - low) * (1 + math.cos(math.pi * share)) / 2
        for group in adam.param_groups:
            group["lr"] = rate * min(1.0, (update + 1) / warm)
        step = steps[number]
        rows.fill(number, chosen, step.ids, step.weight, settings["readingWeight"])
        own = step.run()
        torch.nn.utils.clip_grad_norm_(model.parameters(), settings["clipNorm"])
        adam.step()
        # Who starts kernels must not run far ahead of who computes: the clock is read here.
        if device != "cpu" and update % 8 == 0:
            torch.cuda.synchronize()
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
            mark = {"seconds": spent, "update": update, "tokensSeen": seen, "lessons": len(lessons) + len(careless), "device": name}
            if (start / "mark.json").exists():
                mark["before"] = json.loads((start / "mark.json").read_text())
            save(model, start, given.out / str(marks), mark)
        if spent - looked >= 20 and (not careless or not switched):
            looked = spent
            more = new_rows(given.work / "lessons", known)
            if more:
                lessons += more
                rows = Bucketed(fit(lessons), widths, given.batch_tokens, device)
                source = rows.batches(rng)
                say(lessons=len(lessons), tokens=int(rows.lengths.sum()))


if __name__ == "__main__":
    main()
