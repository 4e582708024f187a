"""Trains a starting model with PyTorch, for those who have a GPU and no hour of CPU.

    python torch-train.py WORK OUT [--updates N] [--device cuda]

WORK is what `npm run reproduce:model -- --world NAME --prepare WORK` leaves: `start/` (a model folder with untrained weights),
`training.json` (the settings of the training) and `lessons/*.bin` or `lessons/*.bin.xz` (rows of 16-bit numbers, each row
after its length: the lowest 14 bits are a token, bit 15 marks a decision to learn, bit 14 text of the world, read for
practice). OUT becomes a model folder in bfloat16. Settings and sums are those of Limbeck's own trainer; the order of the
rows and the rounding are not, so the result is a sister of its model and not its twin.
"""

import argparse
import json
import lzma
import math
import shutil
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

LEARNT, READ = 1 << 15, 1 << 14
TOKEN = READ - 1


def read_rows(folder):
    rows = []
    for path in sorted(folder.glob("lessons-*.bin*")):
        if path.name.endswith(".writing"):
            continue
        data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
        joined = np.frombuffer(data, dtype="<u2").astype(np.int32)
        at = 0
        while at < len(joined):
            length = int(joined[at])
            rows.append(joined[at + 1 : at + 1 + length])
            at += length + 1
    return rows


class Qwen3(torch.nn.Module):
    """The form of the bundled models: grouped heads with norms of queries and keys, gated layers, tied embeddings."""

    def __init__(self, config, tensors):
        super().__init__()
        if config["model_type"] != "qwen3" or not config["tie_word_embeddings"]:
            raise SystemExit("Only qwen3 with tied embeddings can be trained here.")
        self.config = config
        self.names = {name.replace(".", "/"): name for name in tensors}
        self.weights = torch.nn.ParameterDict(
            {key: torch.nn.Parameter(tensors[name].float()) for key, name in self.names.items()}
        )

    def tensor(self, name):
        return self.weights[name.replace(".", "/")]

    def norm(self, x, name):
        wide = x.float()
        scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.config["rms_norm_eps"])
        return (wide * scale * self.tensor(name)).to(x.dtype)

    def hidden(self, ids):
        config = self.config
        heads, groups, size = config["num_attention_heads"], config["num_key_value_heads"], config["head_dim"]
        rows, length = ids.shape
        half = torch.arange(0, size, 2, device=ids.device, dtype=torch.float32) / size
        angles = torch.outer(torch.arange(length, device=ids.device).float(), config["rope_theta"] ** -half)
        cos, sin = torch.cat([angles.cos()] * 2, -1), torch.cat([angles.sin()] * 2, -1)

        def turned(x):
            first, second = x.float().chunk(2, -1)
            return (x.float() * cos + torch.cat([-second, first], -1) * sin).to(x.dtype)

        x = F.embedding(ids, self.tensor("model.embed_tokens.weight"))
        for layer in range(config["num_hidden_layers"]):
            at = f"model.layers.{layer}."
            y = self.norm(x, at + "input_layernorm.weight")

            def part(name, count):
                out = F.linear(y, self.tensor(f"{at}self_attn.{name}_proj.weight"))
                return out.view(rows, length, count, size)

            q = self.norm(part("q", heads), at + "self_attn.q_norm.weight").transpose(1, 2)
            k = self.norm(part("k", groups), at + "self_attn.k_norm.weight").transpose(1, 2)
            v = part("v", groups).transpose(1, 2)
            k, v = (one.repeat_interleave(heads // groups, 1) for one in (turned(k), v))
            seen = F.scaled_dot_product_attention(turned(q), k, v.to(k.dtype), is_causal=True)
            seen = seen.transpose(1, 2).reshape(rows, length, heads * size)
            x = x + F.linear(seen, self.tensor(at + "self_attn.o_proj.weight"))
            y = self.norm(x, at + "post_attention_layernorm.weight")
            gate = F.silu(F.linear(y, self.tensor(at + "mlp.gate_proj.weight")))
            up = F.linear(y, self.tensor(at + "mlp.up_proj.weight"))
            x = x + F.linear(gate * up, self.tensor(at + "mlp.down_proj.weight"))
        return self.norm(x, "model.norm.weight")

    def loss(self, entries, reading_weight):
        """Mean cross-entropy by weight: 1 for decisions, `reading_weight` for what the world wrote, 0 elsewhere."""
        ids = (entries & TOKEN).long()
        weight = (entries >= LEARNT).float() + ((entries < LEARNT) & (entries >= READ)).float() * reading_weight
        hidden, target, weight = self.hidden(ids)[:, :-1], ids[:, 1:], weight[:, 1:]
        kept = weight > 0
        logits = F.linear(hidden[kept], self.tensor("model.embed_tokens.weight"))
        losses = F.cross_entropy(logits.float(), target[kept], reduction="none")
        return (losses * weight[kept]).sum() / weight.sum()


def rate_at(step, updates, s):
    warm = s["warmupUpdates"]
    if step < warm:
        return s["learningRate"] * (step + 1) / warm
    progress = min(1.0, (step - warm) / max(1, updates - warm))
    low, high = s["finalLearningRate"], s["learningRate"]
    return low + (high - low) * (1 + math.cos(math.pi * progress)) / 2


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--updates", type=int)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    given = parser.parse_args()
    settings = json.loads((given.work / "training.json").read_text())
    updates = given.updates or settings["updates"]
    start = given.work / "start"
    model = Qwen3(json.loads((start / "config.json").read_text()), load_file(start / "model.safetensors"))
    model.to(given.device)
    rows = read_rows(given.work / "lessons")
    tokens = sum(len(row) for row in rows)
    print(f"{len(rows)} lessons, {tokens} tokens, {updates} updates of {settings['batchRows']} on {given.device}", flush=True)
    adam = torch.optim.AdamW(model.parameters(), lr=1.0, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0)
    rng = np.random.default_rng(settings["seed"])
    order, begun, seen = [], time.time(), 0
    for step in range(updates):
        if len(order) < settings["batchRows"]:
            order += list(rng.permutation(len(rows)))
        chosen, order = order[: settings["batchRows"]], order[settings["batchRows"] :]
        batch = [rows[one] for one in chosen]
        longest = max(len(row) for row in batch)
        # What follows a row cannot be seen from it, and weighs nothing.
        entries = torch.from_numpy(np.stack([np.pad(row, (0, longest - len(row))) for row in batch]))
        entries = entries.to(given.device, non_blocking=True)
        for group in adam.param_groups:
            group["lr"] = rate_at(step, updates, settings)
        with torch.autocast(given.device.split(":")[0], dtype=torch.bfloat16, enabled=given.device != "cpu"):
            loss = model.loss(entries, settings["readingWeight"])
        adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), settings["clipNorm"])
        adam.step()
        seen += sum(len(row) for row in batch)
        if (step + 1) % 100 == 0 or step in (0, updates - 1):
            spent = time.time() - begun
            print(f"update {step + 1}: loss {loss.item():.4f}, {seen / spent:.0f} tokens/s, {spent:.0f} s", flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    for path in start.iterdir():
        if path.name != "model.safetensors":
            shutil.copy(path, given.out / path.name)
    config = json.loads((start / "config.json").read_text())
    (given.out / "config.json").write_text(json.dumps({**config, "torch_dtype": "bfloat16"}, indent=2))
    tensors = {name: model.weights[key].detach().to(torch.bfloat16).cpu().contiguous() for key, name in model.names.items()}
    save_file(tensors, given.out / "model.safetensors", metadata={"format": "pt"})
    (given.out / "model.safetensors").chmod(0o644)
    print(f"wrote {given.out}", flush=True)


if __name__ == "__main__":
    main()
