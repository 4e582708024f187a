"""Trains the bundled writer on what generate.ts wrote, from the base model, within a time.

    python train.py DATA OUT --seconds 600 [--base packages/base-model] [--layers 7] [--batch-tokens 98304] [--device cuda]

DATA holds `lessons-*.bin` and `held-*.bin` (rows of 16-bit numbers, as `starting-model/torch-train.py` reads them); with `--wait S` it is
waited for a file `ready` there, S seconds at most, while the program is compiled. OUT becomes a model folder in float16, anew every
minute. Lessons that come later are learnt too. Layers beyond the base's begin as ones that add nothing. Prints JSON lines: the loss on lessons and on held-out examples, how
many tokens of held-out answers are foretold, and in how many held-out answers every step is named and judged as it should be.
Then answers the questions of `ask-*.bin`, and writes `answers.jsonl` into DATA.
"""

import argparse
import json
import lzma
import math
import re
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

HERE = Path(__file__).resolve().parent
LEARNT, TOKEN, END = 1 << 15, (1 << 14) - 1, 3
WARM_UPDATES = 150
FILES = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "generation_config.json")
PARTS = (
    "input_layernorm self_attn.q_proj self_attn.k_proj self_attn.v_proj self_attn.q_norm self_attn.k_norm self_attn.o_proj "
    "post_attention_layernorm mlp.gate_proj mlp.up_proj mlp.down_proj"
).split()


def say(**line):
    print(json.dumps({key: round(value, 4) if isinstance(value, float) else value for key, value in line.items()}), flush=True)


def rows_of(path):
    data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    joined = np.frombuffer(data, dtype="<u2").astype(np.int32)
    rows, at = [], 0
    while at < len(joined):
        length = int(joined[at])
        rows.append(joined[at + 1 : at + 1 + length])
        at += length + 1
    return rows


def read_rows(folder, name, known=()):
    """Rows of files that are whole (others are called otherwise) and not yet known, and all files."""
    paths = sorted(folder.glob(f"{name}-*.bin"))
    return [row for path in paths if path not in known for row in rows_of(path)], paths


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


def norm(x, weight, eps: float):
    wide = x.float()
    return wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps) * weight


def turned(x, cos, sin):
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat([-second, first], -1) * sin


def block_of(eps, size):
    """One layer: grouped heads with norms of queries and keys, gated. The residual stays in 32 bits."""

    def block(x, cos, sin, n1, wq, wk, wv, qn, kn, wo, n2, wg, wu, wd):
        rows, length = x.shape[0], x.shape[1]
        heads, groups = wq.shape[0] // size, wk.shape[0] // size
        kind = torch.bfloat16 if x.is_cuda else x.dtype
        y = norm(x, n1, eps).to(kind)
        both = F.linear(y, torch.cat([wq, wk, wv]).to(kind)).view(rows, length, heads + 2 * groups, size).transpose(1, 2)
        q, k, v = both[:, :heads], both[:, heads : heads + groups], both[:, heads + groups :]
        q = turned(norm(q, qn, eps), cos, sin).to(kind)
        k = turned(norm(k, kn, eps), cos, sin).to(kind)
        k, v = (one.repeat_interleave(heads // groups, 1) for one in (k, v))
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        seen = seen.transpose(1, 2).reshape(rows, length, heads * size)
        x = x + F.linear(seen, wo.to(kind))
        y = norm(x, n2, eps).to(kind)
        gate, up = F.linear(y, torch.cat([wg, wu]).to(kind)).chunk(2, -1)
        return x + F.linear(F.silu(gate) * up, wd.to(kind))

    return block


class Writer(torch.nn.Module):
    def __init__(self, config, tensors):
        super().__init__()
        if config["model_type"] != "qwen3" or not config["tie_word_embeddings"]:
            raise SystemExit("Only qwen3 with tied embeddings can be trained here.")
        self.config = config
        # What learns may be compiled; what only reads meets too many shapes.
        self.block = self.plain = block_of(config["rms_norm_eps"], config["head_dim"])
        self.names = {name.replace(".", "/"): name for name in tensors}
        self.weights = torch.nn.ParameterDict(
            {key: torch.nn.Parameter(tensors[name].float()) for key, name in self.names.items()}
        )

    def tensor(self, name):
        return self.weights[name.replace(".", "/")]

    def hidden(self, ids):
        config, size = self.config, self.config["head_dim"]
        half = torch.arange(0, size, 2, device=ids.device, dtype=torch.float32) / size
        angles = torch.outer(torch.arange(ids.shape[1], device=ids.device).float(), config["rope_theta"] ** -half)
        cos, sin = torch.cat([angles.cos()] * 2, -1), torch.cat([angles.sin()] * 2, -1)
        x = F.embedding(ids, self.tensor("model.embed_tokens.weight"))
        block = self.block if torch.is_grad_enabled() else self.plain
        for layer in range(config["num_hidden_layers"]):
            parts = [self.tensor(f"model.layers.{layer}.{part}.weight") for part in PARTS]
            x = block(x, cos, sin, *parts)
        return norm(x, self.tensor("model.norm.weight"), config["rms_norm_eps"])

    def logits(self, hidden):
        kind = torch.bfloat16 if hidden.is_cuda else hidden.dtype
        return F.linear(hidden.to(kind), self.tensor("model.embed_tokens.weight").to(kind)).float()

    def loss(self, ids, learnt):
        # No row begins with its answer.
        kept = learnt.reshape(-1).nonzero().squeeze(1)
        hidden = self.hidden(ids).reshape(-1, self.config["hidden_size"]).index_select(0, kept - 1)
        return F.cross_entropy(self.logits(hidden), ids.reshape(-1)[kept])


class Rows:
    """All rows on the device, one after the other."""

    def __init__(self, rows, device):
        self.lengths = np.array([len(row) for row in rows])
        self.starts = torch.from_numpy(np.cumsum(self.lengths) - self.lengths).to(device)
        self.long = torch.from_numpy(self.lengths).to(device)
        self.entries = torch.from_numpy(np.concatenate(rows)).to(device)

    def batch(self, chosen):
        """What follows a row cannot be seen from it, and weighs nothing."""
        longest = int(-(-self.lengths[chosen].max() // 32) * 32)
        chosen = torch.from_numpy(chosen).to(self.starts.device)
        at = torch.arange(longest, device=chosen.device)
        inside = at[None] < self.long[chosen][:, None]
        entries = self.entries[(self.starts[chosen][:, None] + at).clamp_(max=len(self.entries) - 1)] * inside
        return (entries & TOKEN).long(), entries >= LEARNT

    def batches(self, most_tokens, rng, least=1):
        """Rows of like length together, so that little is padding; the batches in any order, without those of too few rows."""
        while True:
            order, made = rng.permutation(len(self.lengths)), []
            for start in range(0, len(order), 16384):
                part = order[start : start + 16384]
                part = part[np.argsort(self.lengths[part], kind="stable")]
                at = 0
                while at < len(part):
                    # As many as fit under the longest of them.
                    count = np.searchsorted(self.lengths[part[at:]] * np.arange(1, len(part) - at + 1), most_tokens, "right")
                    made.append(part[at : at + max(1, int(count))])
                    at += max(1, int(count))
            made = [batch for batch in made if len(batch) >= least] or made
            rng.shuffle(made)
            yield from made


def held_out(model, rows, most_tokens):
    """Mean loss and share of right tokens, of the answers."""
    total, right, count = 0.0, 0, 0
    with torch.no_grad():
        for chosen in rows.batches(most_tokens, np.random.default_rng(0)):
            ids, learnt = rows.batch(chosen)
            kept = learnt[:, 1:]
            logits, target = model.logits(model.hidden(ids)[:, :-1][kept]), ids[:, 1:][kept]
            total += F.cross_entropy(logits, target, reduction="sum").item()
            right += (logits.argmax(-1) == target).sum().item()
            count += len(target)
            if count >= rows.answered:
                break
    return {"heldLoss": total / max(1, count), "heldRight": right / max(1, count)}


def answers(model, asked, seconds, device, most=220, most_tokens=200_000):
    """The likeliest answer to each question, token by token; questions that no time is left for have none."""
    begun, given = time.time(), {}
    rng = np.random.default_rng(0)
    order = rng.permutation(len(asked))
    parts = []
    for start in range(0, len(order), 2048):
        part = sorted(order[start : start + 2048], key=lambda at: len(asked[at]))
        while part:
            count = max(1, min(len(part), most_tokens // (len(asked[part[0]]) + most)))
            parts.append(part[:count])
            part = part[count:]
    # Long questions, too, are among those that there is time for.
    rng.shuffle(parts)
    with torch.no_grad():
        for part in parts:
            if time.time() - begun > seconds:
                break
            rows = [asked[at] & TOKEN for at in part]
            lengths = torch.tensor([len(row) for row in rows], device=device)
            ids = torch.zeros(len(rows), int(lengths.max()) + most, dtype=torch.long, device=device)
            for at, row in enumerate(rows):
                ids[at, : len(row)] = torch.from_numpy(row.astype(np.int64)).to(device)
            first, active = lengths.clone(), torch.arange(len(rows), device=device)
            ended = torch.zeros(len(rows), dtype=torch.bool, device=device)
            for step in range(most):
                here = lengths[active]
                hidden = model.hidden(ids[active, : int(here.max())])
                token = model.logits(hidden[torch.arange(len(active), device=device), here - 1]).argmax(-1)
                ids[active, here] = token
                lengths[active] += 1
                ended[active] |= token == END
                if step % 8 == 7:
                    active = active[~ended[active]]
                    if len(active) == 0:
                        break
            for at, one in enumerate(part):
                said = ids[at, int(first[at]) : int(lengths[at])].tolist()
                given[int(one)] = said[: said.index(END)] if END in said else said
    return given


def facts(text):
    """The steps that an answer names and what it holds of them, line by line, whatever its words."""
    return [re.findall(r"\b[abc]?\d+[-+x=<!.]?", line) for line in text.split("\n")]


def sincere(model, held, tokenizer, device, count=192):
    """In how many of these held-out answers the first line and all lines say what they should."""
    if tokenizer is None or not held:
        return {}
    rows = held[:: max(1, len(held) // count)][:count]
    opening = [int(np.argmax(row >= LEARNT)) for row in rows]
    given = answers(model, [row[:at] for row, at in zip(rows, opening)], 15, device, most=160)
    evidence = whole = 0
    for at, said in given.items():
        text = tokenizer.decode(said)
        wanted = tokenizer.decode([one for one in (rows[at][opening[at] :] & TOKEN).tolist() if one != END])
        evidence += facts(text)[:1] == facts(wanted)[:1]
        whole += facts(text) == facts(wanted)
    return {"evidenceSame": evidence / max(1, len(given)), "factsSame": whole / max(1, len(given)), "of": len(given)}


def save(model, config, base, out):
    """Beside the folder first: whoever looks finds a whole one."""
    made = out.with_name(f"{out.name}.making")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    for name in FILES:
        shutil.copy(base / name, made / name)
    # Limbeck asks a folder with this mark in few words.
    (made / "writes-briefly").write_text("")
    (made / "config.json").write_text(json.dumps({**config, "torch_dtype": "float16"}, indent=2) + "\n")
    tensors = {
        name: model.weights[key].detach().to(torch.float16).cpu().contiguous() for key, name in model.names.items()
    }
    save_file(tensors, made / "model.safetensors", metadata={"format": "pt"})
    (made / "model.safetensors").chmod(0o644)
    shutil.rmtree(out, ignore_errors=True)
    made.rename(out)


def compiled(model, most_tokens, seconds, device):
    """Compiles the layer where that works in time, gives the same loss and is faster; returns tokens a second of both."""

    def speed(times):
        begun, shape = 0.0, (max(1, most_tokens // 512), 512)
        ids = torch.randint(10, 4000, shape, device=device, generator=torch.Generator(device).manual_seed(1))
        learnt = torch.zeros(shape, dtype=torch.bool, device=device)
        learnt[:, -48:] = True
        for time_ in range(times + 2):
            if time_ == 2:
                torch.cuda.synchronize()
                begun = time.time()
            loss = model.loss(ids, learnt)
            loss.backward()
        torch.cuda.synchronize()
        model.zero_grad(set_to_none=True)
        return times * most_tokens / (time.time() - begun), loss.item()

    def late(*_):
        raise TimeoutError("compiling took too long")

    block = model.block
    plain, wanted = speed(8)
    try:
        signal.signal(signal.SIGALRM, late)
        signal.alarm(int(seconds))
        model.block = torch.compile(block, dynamic=True)
        size = max(1, most_tokens // 8192)
        for rows, length in ((16 * size, 96), (7, 800), (33, 224)):
            ids = torch.randint(10, 4000, (rows, length), device=device)
            learnt = ids > 3000
            learnt[:, 0] = False
            model.loss(ids, learnt).backward()
        fast, got = speed(8)
        signal.alarm(0)
        if fast < 1.05 * plain or abs(got - wanted) > 0.02 * abs(wanted):
            model.block = block
        return {"plain": int(plain), "compiled": int(fast), "lossPlain": wanted, "lossCompiled": got}
    except BaseException as error:  # noqa: BLE001 whatever the compiler does, the plain one works
        signal.alarm(0)
        model.block = block
        model.zero_grad(set_to_none=True)
        return {"plain": int(plain), "notCompiled": f"{type(error).__name__}: {error}"[:300]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--base", type=Path, default=HERE.parent.parent / "packages" / "base-model")
    parser.add_argument("--layers", type=int, default=7)
    parser.add_argument("--batch-tokens", type=int, default=98_304)
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--last-rate", type=float, default=1e-5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--wait", type=float, default=0, help="longest wait for DATA/ready")
    parser.add_argument("--answer-seconds", type=float, default=60, help="time for the questions of ask-*.bin")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    given = parser.parse_args()
    started = time.time()
    torch.manual_seed(given.seed)
    torch.set_float32_matmul_precision("high")
    device = given.device
    config, tensors = grown(
        json.loads((given.base / "config.json").read_text()), load_file(given.base / "model.safetensors"), given.layers
    )
    model = Writer(config, tensors).to(device)
    try:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(given.base / "tokenizer.json"))
    except Exception:  # noqa: BLE001 the training needs none
        tokenizer = None
    if device != "cpu":
        say(tokensPerSecond=compiled(model, given.batch_tokens, max(60, 0.9 * given.wait), device), torch=torch.__version__)
    while not (given.data / "ready").exists() and time.time() - started < given.wait:
        time.sleep(0.5)
    (lessons, known), (held, _) = read_rows(given.data, "lessons"), read_rows(given.data, "held")
    np.random.default_rng(1).shuffle(held)
    held = held[:1500]
    rows = Rows(lessons, device)
    held_rows = Rows(held, device) if held else None
    if held_rows is not None:
        held_rows.answered = int((held_rows.entries >= LEARNT).sum())
    say(
        examples=len(lessons),
        tokens=int(rows.lengths.sum()),
        answerTokens=int((rows.entries >= LEARNT).sum()),
        heldOut=len(held),
        parameters=sum(one.numel() for one in model.parameters()),
        device=device,
        waited=time.time() - started,
    )
    adam = torch.optim.AdamW(
        model.parameters(), lr=given.rate, betas=(0.9, 0.98), eps=1e-8, weight_decay=0.02, fused=device != "cpu"
    )
    begun, seen, update, said, saved, tried = time.time(), 0, 0, 0.0, 0.0, 0.0
    total = torch.zeros((), device=device)
    since = 0
    rng = np.random.default_rng(given.seed)
    source = rows.batches(given.batch_tokens, rng, least=4)
    while True:
        chosen = next(source)
        spent = time.time() - begun
        if spent >= given.seconds:
            break
        share = spent / given.seconds
        rate = given.last_rate + (given.rate - given.last_rate) * (1 + math.cos(math.pi * share)) / 2
        for group in adam.param_groups:
            group["lr"] = rate * min(1.0, (update + 1) / WARM_UPDATES)
        loss = model.loss(*rows.batch(chosen))
        adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
        total += loss.detach()
        since += 1
        update += 1
        seen += int(rows.lengths[chosen].sum())
        if update == 1 or spent - said >= 30:
            said = spent
            more = held_out(model, held_rows, given.batch_tokens) if held_rows is not None else {}
            if spent - tried >= 90:
                tried = spent
                more = {**more, **sincere(model, held, tokenizer, device)}
            say(update=update, seconds=spent, loss=(total / since).item(), tokensSeen=seen, **more)
            total.zero_()
            since = 0
            more, paths = read_rows(given.data, "lessons", known)
            if more:
                lessons, known = lessons + more, paths
                rows = Rows(lessons, device)
                source = rows.batches(given.batch_tokens, rng, least=4)
                say(examples=len(lessons), tokens=int(rows.lengths.sum()))
        if spent - saved >= 60:
            saved = spent
            save(model, config, given.base, given.out)
    save(model, config, given.base, given.out)
    more = held_out(model, held_rows, given.batch_tokens) if held_rows is not None else {}
    say(update=update, seconds=time.time() - begun, tokensSeen=seen, last=True, **more, **sincere(model, held, tokenizer, device, 600))
    asked = [(path.stem, at, row) for path in sorted(given.data.glob("ask-*.bin")) for at, row in enumerate(rows_of(path))]
    said = answers(model, [row for _, _, row in asked], given.answer_seconds, device) if asked else {}
    with (given.data / "answers.jsonl").open("w") as file:
        for at, ids in said.items():
            file.write(json.dumps({"file": asked[at][0], "row": asked[at][1], "ids": ids}) + "\n")
    say(asked=len(asked), answered=len(said), seconds=time.time() - begun)


if __name__ == "__main__":
    main()
