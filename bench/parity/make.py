"""First half of the parity check: random small models, written and computed by transformers.

    python3 bench/parity/make.py OUT

Each case is a model folder, `cases.json` (token ids and a weight per token) and `expected.safetensors` (the
log-probability of every token, and the gradient of the weighted sum of them for every parameter).
"""

import json
import sys
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM, Qwen3Config, Qwen3ForCausalLM

SHARED = dict(
    vocab_size=211,
    hidden_size=48,
    num_hidden_layers=3,
    num_attention_heads=4,
    num_key_value_heads=2,
    intermediate_size=80,
    max_position_embeddings=192,
    initializer_range=0.15,
    attn_implementation="eager",
)
CASES = {
    # Heads wider than hidden / heads, shared embeddings: what the small Qwen3 models have.
    "qwen3": (Qwen3ForCausalLM, Qwen3Config(**SHARED, head_dim=16, tie_word_embeddings=True, rope_theta=1e6), {}),
    "qwen3-untied-bfloat16-shards": (
        Qwen3ForCausalLM,
        Qwen3Config(**SHARED, head_dim=8, tie_word_embeddings=False),
        {"dtype": torch.bfloat16, "max_shard_size": "60KB"},
    ),
    "llama": (LlamaForCausalLM, LlamaConfig(**SHARED, tie_word_embeddings=False, rms_norm_eps=1e-5), {}),
    "llama-tied": (LlamaForCausalLM, LlamaConfig(**{**SHARED, "num_key_value_heads": 4}, tie_word_embeddings=True), {}),
}
LENGTHS = (2, 17, 64, 150)


def make_rows(generator: torch.Generator, vocabulary: int) -> list[dict]:
    rows = []
    for length in LENGTHS:
        ids = torch.randint(0, vocabulary, (length,), generator=generator)
        weights = torch.randn(length, generator=generator, dtype=torch.float64)
        weights[0] = 0.0
        rows.append({"ids": ids.tolist(), "weights": weights.tolist()})
    return rows


def compute(model: torch.nn.Module, rows: list[dict]) -> dict[str, torch.Tensor]:
    """Log-probabilities and gradients, one row at a time, so that no padding is involved."""
    tensors = {}
    model.zero_grad()
    for index, row in enumerate(rows):
        ids = torch.tensor(row["ids"])[None]
        logits = model(input_ids=ids).logits.float()
        logs = torch.log_softmax(logits[0, :-1], dim=-1).gather(1, ids[0, 1:, None])[:, 0]
        (logs * torch.tensor(row["weights"][1:])).sum().backward()
        tensors[f"logprob.{index}"] = logs.detach().clone()
    for name, parameter in model.named_parameters():
        tensors[f"gradient.{name}"] = parameter.grad.float().contiguous().clone()
    return tensors


def main() -> None:
    out = Path(sys.argv[1])
    torch.manual_seed(7)
    generator = torch.Generator().manual_seed(11)
    for name, (kind, config, save) in CASES.items():
        folder = out / name
        model = kind(config).eval()
        with torch.no_grad():
            for key, parameter in model.named_parameters():
                # Norms start at one; moved away from it, so that a norm that is left out shows.
                if parameter.dim() == 1:
                    parameter.add_(0.2 * torch.randn_like(parameter))
        options = dict(save)
        model.to(options.pop("dtype", torch.float32)).save_pretrained(folder, **options)
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
        rows = make_rows(generator, config.vocab_size)
        (folder / "cases.json").write_text(json.dumps(rows))
        save_file(compute(model, rows), out / f"{name}.expected.safetensors")
        print(f"{name}: {sum(p.numel() for p in model.parameters())} parameters")
    versions = {"torch": torch.__version__, "transformers": transformers.__version__}
    (out / "versions.json").write_text(json.dumps(versions))
    print(json.dumps(versions))


if __name__ == "__main__":
    main()
