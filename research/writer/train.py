"""Trains the bundled writer on what generate.ts wrote, from the base model, within a time.

    python train.py DATA OUT --seconds 330 [--base packages/base-model] [--layers 8] [--batch-tokens 32768] [--device cuda]

DATA holds `lessons-*.bin` and `held-*.bin` (rows of 16-bit numbers, as `starting-model/torch-train.py` reads them). OUT becomes a model
folder in float16. Layers beyond the base's begin as ones that add nothing. Prints JSON lines: the loss on lessons and on held-out
examples, and how many tokens of held-out answers are foretold.
"""

import argparse
import importlib.util
import json
import math
import shutil
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

HERE = Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("torch_train", HERE.parent / "starting-model" / "torch-train.py")
torch_train = importlib.util.module_from_spec(spec)
spec.loader.exec_module(torch_train)

WARM_UPDATES = 100
FILES = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "generation_config.json")


def rows_of(path):
    joined = np.fromfile(path, dtype="<u2").astype(np.int32)
    rows, at = [], 0
    while at < len(joined):
        length = int(joined[at])
        rows.append(joined[at + 1 : at + 1 + length])
        at += length + 1
    return rows


def read_rows(folder, name):
    return [row for path in sorted(folder.glob(f"{name}-*.bin")) for row in rows_of(path)]


def grown(config, tensors, layers):
    """The same function with more layers: the new ones are copies of the last whose outputs are zero."""
    tensors, had = dict(tensors), config["num_hidden_layers"]
    for layer in range(had, layers):
        for name in [one for one in tensors if one.startswith(f"model.layers.{had - 1}.")]:
            tensor = tensors[name].clone()
            if name.endswith(("o_proj.weight", "down_proj.weight")):
                tensor.zero_()
            tensors[name.replace(f"layers.{had - 1}.", f"layers.{layer}.")] = tensor
    return {**config, "num_hidden_layers": max(had, layers)}, tensors


def batches(rows, most_tokens, rng):
    """Rows of like length together, so that little is padding; the batches in any order."""
    while True:
        order = rng.permutation(len(rows))
        made = []
        for start in range(0, len(order), 8192):
            part = sorted(order[start : start + 8192], key=lambda at: len(rows[at]))
            batch, longest = [], 0
            for at in part:
                longest = max(longest, len(rows[at]))
                if batch and (len(batch) + 1) * longest > most_tokens:
                    made.append(batch)
                    batch, longest = [], len(rows[at])
                batch.append(at)
            made.append(batch)
        rng.shuffle(made)
        for batch in made:
            yield [rows[at] for at in batch]


def padded(batch, device):
    longest = max(len(row) for row in batch)
    stacked = np.stack([np.pad(row, (0, longest - len(row))) for row in batch])
    return torch.from_numpy(stacked).to(device, non_blocking=True)


def held_out(model, rows, most_tokens, device, cast):
    """Mean loss and share of right tokens, of the answers."""
    total, right, count = 0.0, 0, 0
    if not rows:
        return {}
    with torch.no_grad(), cast():
        rows = sorted(rows, key=len)
        step = max(1, most_tokens // max(1, len(rows[-1])))
        for start in range(0, len(rows), step):
            entries = padded(rows[start : start + step], device)
            ids = (entries & torch_train.TOKEN).long()
            learnt = (entries >= torch_train.LEARNT)[:, 1:]
            hidden = model.hidden(ids)[:, :-1][learnt]
            logits = F.linear(hidden, model.tensor("model.embed_tokens.weight")).float()
            target = ids[:, 1:][learnt]
            total += F.cross_entropy(logits, target, reduction="sum").item()
            right += (logits.argmax(-1) == target).sum().item()
            count += len(target)
    return {"heldLoss": round(total / max(1, count), 4), "heldRight": round(right / max(1, count), 4)}


def answers(model, asked, seconds, device, cast, most=420, end=3, at_once=64):
    """The likeliest answer to each question, token by token; questions that no time is left for have none."""
    begun, given = time.time(), {}
    order = list(range(len(asked)))
    np.random.default_rng(0).shuffle(order)
    for start in range(0, len(order), at_once):
        if time.time() - begun > seconds:
            break
        part = order[start : start + at_once]
        rows = [asked[at] & torch_train.TOKEN for at in part]
        lengths = torch.tensor([len(row) for row in rows], device=device)
        ids = torch.zeros(len(rows), int(lengths.max()) + most, dtype=torch.long, device=device)
        for at, row in enumerate(rows):
            ids[at, : len(row)] = torch.from_numpy(row.astype(np.int64)).to(device)
        first, active = lengths.clone(), torch.arange(len(rows), device=device)
        ended = torch.zeros(len(rows), dtype=torch.bool, device=device)
        with torch.no_grad(), cast():
            for step in range(most):
                here = lengths[active]
                hidden = model.hidden(ids[active, : int(here.max())])
                last = hidden[torch.arange(len(active), device=device), here - 1]
                token = F.linear(last, model.tensor("model.embed_tokens.weight")).float().argmax(-1)
                ids[active, here] = token
                lengths[active] += 1
                ended[active] |= token == end
                if step % 8 == 7:
                    active = active[~ended[active]]
                    if len(active) == 0:
                        break
        for at, one in enumerate(part):
            said = ids[at, int(first[at]) : int(lengths[at])].tolist()
            given[one] = said[: said.index(end)] if end in said else said
    return given


def save(model, config, base, out):
    out.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copy(base / name, out / name)
    # Limbeck asks a folder with this mark in few words.
    (out / "writes-briefly").write_text("")
    (out / "config.json").write_text(json.dumps({**config, "torch_dtype": "float16"}, indent=2) + "\n")
    tensors = {
        name: model.weights[key].detach().to(torch.float16).cpu().contiguous() for key, name in model.names.items()
    }
    save_file(tensors, out / "model.safetensors", metadata={"format": "pt"})
    (out / "model.safetensors").chmod(0o644)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=330)
    parser.add_argument("--base", type=Path, default=HERE.parent.parent / "packages" / "base-model")
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--batch-tokens", type=int, default=32_768)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--last-rate", type=float, default=2e-5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--answer-seconds", type=float, default=80, help="time for the questions of ask-*.bin")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    torch.set_float32_matmul_precision("high")
    device = given.device
    config, tensors = grown(
        json.loads((given.base / "config.json").read_text()), load_file(given.base / "model.safetensors"), given.layers
    )
    model = torch_train.Qwen3(config, tensors).to(device)
    rows, held = read_rows(given.data, "lessons"), read_rows(given.data, "held")[:1500]
    parameters = sum(one.numel() for one in model.parameters())
    print(
        json.dumps(
            {
                "examples": len(rows),
                "tokens": int(sum(len(row) for row in rows)),
                "heldOut": len(held),
                "parameters": parameters,
                "device": device,
            }
        ),
        flush=True,
    )
    adam = torch.optim.AdamW(
        model.parameters(), lr=given.rate, betas=(0.9, 0.98), eps=1e-8, weight_decay=0.01, fused=device != "cpu"
    )

    def cast():
        return torch.autocast(device.split(":")[0], dtype=torch.bfloat16, enabled=device != "cpu")

    begun, seen, update, said = time.time(), 0, 0, 0.0
    for batch in batches(rows, given.batch_tokens, np.random.default_rng(given.seed)):
        spent = time.time() - begun
        if spent >= given.seconds:
            break
        share = spent / given.seconds
        rate = given.last_rate + (given.rate - given.last_rate) * (1 + math.cos(math.pi * share)) / 2
        for group in adam.param_groups:
            group["lr"] = rate * min(1.0, (update + 1) / WARM_UPDATES)
        with cast():
            loss = model.loss(padded(batch, device), 0.0)
        adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
        update += 1
        seen += sum(len(row) for row in batch)
        if update == 1 or spent - said >= 30:
            said = spent
            line = {"update": update, "seconds": round(spent, 1), "loss": round(loss.item(), 4), "tokensSeen": seen}
            print(json.dumps({**line, **held_out(model, held[:400], given.batch_tokens, device, cast)}), flush=True)
            save(model, config, given.base, given.out)
    save(model, config, given.base, given.out)
    line = {"update": update, "seconds": round(time.time() - begun, 1), "tokensSeen": seen, "last": True}
    print(json.dumps({**line, **held_out(model, held, given.batch_tokens, device, cast)}), flush=True)
    asked = [(path.stem, at, row) for path in sorted(given.data.glob("ask-*.bin")) for at, row in enumerate(rows_of(path))]
    said = answers(model, [row for _, _, row in asked], given.answer_seconds, device, cast) if asked else {}
    with (given.data / "answers.jsonl").open("w") as file:
        for at, ids in said.items():
            file.write(json.dumps({"file": asked[at][0], "row": asked[at][1], "ids": ids}) + "\n")
    print(json.dumps({"asked": len(asked), "answered": len(said), "seconds": round(time.time() - begun, 1)}), flush=True)


if __name__ == "__main__":
    main()
