"""The same models in PyTorch, eager, with its fused attention and fused AdamW.

Reads one JSON object a line: first {"config", "rows", "length", "threads", "kind"}, then {"steps"} as often as wanted;
answers each with {"seconds"} for that many steps. `kind` is "train" (forward, backward, AdamW) or "score" (forward).
"""

import json
import sys
import time

import torch
import torch.nn.functional as F


class Layer(torch.nn.Module):
    def __init__(self, c):
        super().__init__()
        width, kv, h = c["heads"] * c["headSize"], c["keyValueHeads"] * c["headSize"], c["hiddenSize"]
        linear = lambda a, b: torch.nn.Linear(a, b, bias=False)
        self.q, self.k, self.v, self.o = linear(h, width), linear(h, kv), linear(h, kv), linear(width, h)
        self.gate, self.up = linear(h, c["intermediateSize"]), linear(h, c["intermediateSize"])
        self.down = linear(c["intermediateSize"], h)
        norm = lambda size: torch.nn.RMSNorm(size, eps=c["normEpsilon"])
        self.first, self.second, self.qn, self.kn = norm(h), norm(h), norm(c["headSize"]), norm(c["headSize"])
        self.c = c

    def forward(self, x, cos, sin):
        rows, length, _ = x.shape
        y = self.first(x)
        heads = lambda t: t.view(rows, length, -1, self.c["headSize"])
        q, k = self.qn(heads(self.q(y))), self.kn(heads(self.k(y)))
        q, k = rotate(q, cos, sin).transpose(1, 2), rotate(k, cos, sin).transpose(1, 2)
        v = heads(self.v(y)).transpose(1, 2)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=q.shape[1] != k.shape[1])
        x = x + self.o(mixed.transpose(1, 2).reshape(rows, length, -1))
        y = self.second(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


def rotate(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


class Model(torch.nn.Module):
    def __init__(self, c, length):
        super().__init__()
        self.embed = torch.nn.Embedding(c["vocabularySize"], c["hiddenSize"])
        torch.nn.init.normal_(self.embed.weight, std=0.02)
        self.layers = torch.nn.ModuleList(Layer(c) for _ in range(c["layers"]))
        self.norm = torch.nn.RMSNorm(c["hiddenSize"], eps=c["normEpsilon"])
        half = torch.arange(0, c["headSize"], 2) / c["headSize"]
        angles = torch.arange(length)[:, None] * c["ropeTheta"] ** -half[None, :]
        angles = torch.cat((angles, angles), dim=-1)[None, :, None, :]
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x, self.cos, self.sin)
        return F.linear(self.norm(x), self.embed.weight)


def main():
    setup = json.loads(sys.stdin.readline())
    torch.set_num_threads(setup["threads"])
    torch.manual_seed(0)
    config, rows, length = setup["config"], setup["rows"], setup["length"]
    model = Model(config, length)
    ids = torch.randint(config["vocabularySize"], (rows, length + 1))
    read, targets = ids[:, :-1].contiguous(), ids[:, 1:].reshape(-1)
    adam = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def train():
        adam.zero_grad(set_to_none=True)
        F.cross_entropy(model(read).flatten(0, 1), targets).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()

    def score():
        with torch.no_grad():
            return -F.cross_entropy(model(read).flatten(0, 1), targets, reduction="none")

    step = train if setup["kind"] == "train" else score
    for line in sys.stdin:
        start = time.perf_counter()
        for _ in range(json.loads(line)["steps"]):
            step()
        print(json.dumps({"seconds": time.perf_counter() - start}), flush=True)


main()
