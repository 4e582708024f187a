"""First third of the parity check: random small models of every form, written and computed by transformers.

    python3 research/bench/parity/make.py OUT [NAME ...]

Each case is a model folder with `cases.json` (token ids and a weight per token) and NAME.expected.safetensors (the
log-probability of every token, and the gradient of the weighted sum of them for every parameter). Where PEFT is there,
NAME/adapter is a random low-rank adapter, and NAME.adapter.expected.safetensors has the same for it, with the
log-probabilities after one step of Adam.
"""

import importlib.util
import json
import sys
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file
from transformers import (
    AutoModelForCausalLM,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Phi3Config,
    Phi3ForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

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
    pad_token_id=None,
    bos_token_id=1,
    eos_token_id=2,
)
LLAMA3 = dict(
    rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=64
)
# One divisor for each of the six pairs of a head of twelve.
LONGROPE = dict(
    rope_type="longrope",
    short_factor=[1.0, 1.1, 1.25, 1.4, 1.6, 2.0],
    long_factor=[1.0, 2.0, 3.0, 4.0, 6.0, 8.0],
)
CASES = {
    # Heads wider than hidden / heads, shared embeddings: what the small Qwen3 models have.
    "qwen3": (Qwen3ForCausalLM, Qwen3Config(**SHARED, head_dim=16, tie_word_embeddings=True, rope_theta=1e6), {}),
    "qwen3-untied-bfloat16-shards": (
        Qwen3ForCausalLM,
        Qwen3Config(**SHARED, head_dim=8, tie_word_embeddings=False),
        {"dtype": torch.bfloat16, "max_shard_size": "60KB"},
    ),
    "qwen2": (Qwen2ForCausalLM, Qwen2Config(**SHARED, tie_word_embeddings=True, rope_theta=1e6), {}),
    "qwen2-window": (
        Qwen2ForCausalLM,
        Qwen2Config(**SHARED, use_sliding_window=True, sliding_window=20, max_window_layers=1),
        {},
    ),
    "llama2": (LlamaForCausalLM, LlamaConfig(**SHARED, tie_word_embeddings=False, rms_norm_eps=1e-5), {}),
    "llama3": (
        LlamaForCausalLM,
        LlamaConfig(**SHARED, rms_norm_eps=1e-5, rope_theta=5e5, rope_scaling=LLAMA3, tie_word_embeddings=False),
        {},
    ),
    "llama-biases": (LlamaForCausalLM, LlamaConfig(**SHARED, attention_bias=True, mlp_bias=True), {}),
    "smollm2": (
        LlamaForCausalLM,
        LlamaConfig(
            **{**SHARED, "num_key_value_heads": 4}, tie_word_embeddings=True, rms_norm_eps=1e-5, rope_theta=1e5
        ),
        {},
    ),
    "mistral": (MistralForCausalLM, MistralConfig(**SHARED, sliding_window=32, rms_norm_eps=1e-5), {}),
    "mistral-no-window": (MistralForCausalLM, MistralConfig(**SHARED, sliding_window=None, head_dim=16), {}),
    # Three of four layers see 24 tokens; the fourth sees everything, with stretched positions.
    "gemma3": (
        Gemma3ForCausalLM,
        Gemma3TextConfig(
            **{**SHARED, "num_hidden_layers": 4},
            head_dim=16,
            query_pre_attn_scalar=20,
            sliding_window=24,
            layer_types=["sliding_attention"] * 3 + ["full_attention"],
            rope_parameters={
                "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
                "full_attention": {"rope_type": "linear", "factor": 4.0, "rope_theta": 1e6},
            },
        ),
        {},
    ),
    "phi3": (Phi3ForCausalLM, Phi3Config(**SHARED, sliding_window=40), {}),
    "phi3-longrope": (
        Phi3ForCausalLM,
        Phi3Config(
            **{**SHARED, "max_position_embeddings": 768},
            original_max_position_embeddings=192,
            rope_parameters={**LONGROPE, "rope_theta": 1e4, "original_max_position_embeddings": 192},
        ),
        {},
    ),
}
LENGTHS = (2, 17, 64, 150)
LEARNING_RATE = 0.01


def make_rows(generator: torch.Generator, vocabulary: int) -> list[dict]:
    rows = []
    for length in LENGTHS:
        ids = torch.randint(0, vocabulary, (length,), generator=generator)
        weights = torch.randn(length, generator=generator, dtype=torch.float64)
        weights[0] = 0.0
        rows.append({"ids": ids.tolist(), "weights": weights.tolist()})
    return rows


def compute(model: torch.nn.Module, rows: list[dict]) -> dict[str, torch.Tensor]:
    """Log-probabilities and gradients of what learns, one row at a time, so that no padding is involved."""
    tensors = {}
    model.zero_grad()
    for index, row in enumerate(rows):
        ids = torch.tensor(row["ids"])[None]
        logits = model(input_ids=ids).logits.float()
        logs = torch.log_softmax(logits[0, :-1], dim=-1).gather(1, ids[0, 1:, None])[:, 0]
        (logs * torch.tensor(row["weights"][1:])).sum().backward()
        tensors[f"logprob.{index}"] = logs.detach().clone()
    for name, parameter in model.named_parameters():
        if parameter.grad is not None:
            plain = name.removeprefix("base_model.model.").replace(".default", "").replace(".base_layer", "")
            tensors[f"gradient.{plain}"] = parameter.grad.float().contiguous().clone()
    return tensors


def make_adapter(model: torch.nn.Module, rows: list[dict], folder: Path) -> dict[str, torch.Tensor]:
    """A random adapter on every matrix, and what follows from one step of Adam on it."""
    from peft import LoraConfig, get_peft_model

    names = [name.split(".")[-1] for name, part in model.named_modules() if isinstance(part, torch.nn.Linear)]
    targets = sorted(set(names) - {"lm_head"})
    adapted = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", r=4, lora_alpha=12, target_modules=targets))
    adapted.eval()
    for name, parameter in adapted.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.1)
    adapted.save_pretrained(folder)
    tensors = compute(adapted, rows)
    trained = [parameter for parameter in adapted.parameters() if parameter.requires_grad]
    torch.optim.Adam(trained, lr=LEARNING_RATE).step()
    after = compute(adapted, rows)
    return tensors | {f"after.{key}": value for key, value in after.items() if key.startswith("logprob")}


def main() -> None:
    out = Path(sys.argv[1])
    wanted = sys.argv[2:] or list(CASES)
    torch.manual_seed(7)
    generator = torch.Generator().manual_seed(11)
    for name in wanted:
        kind, config, save = CASES[name]
        folder = out / name
        model = kind(config).eval()
        with torch.no_grad():
            for parameter in model.parameters():
                # Norms start at one and biases at zero; moved away from it, so that one that is left out shows.
                if parameter.dim() == 1:
                    parameter.add_(0.2 * torch.randn_like(parameter))
        options = dict(save)
        model.to(options.pop("dtype", torch.float32)).save_pretrained(folder, **options)
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
        rows = make_rows(generator, config.vocab_size)
        (folder / "cases.json").write_text(json.dumps(rows))
        save_file(compute(model, rows), out / f"{name}.expected.safetensors")
        if importlib.util.find_spec("peft") is not None:
            save_file(make_adapter(model, rows, folder / "adapter"), out / f"{name}.adapter.expected.safetensors")
        print(f"{name}: {sum(p.numel() for p in model.parameters())} parameters")
    versions = {"torch": torch.__version__, "transformers": transformers.__version__}
    (out / "versions.json").write_text(json.dumps(versions))
    print(json.dumps(versions))


if __name__ == "__main__":
    main()
