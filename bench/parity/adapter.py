"""Parity of low-rank adapters with PEFT, in three steps (needs torch, transformers and peft for the Python ones):

    python3 bench/parity/adapter.py make OUT
    npx tsx bench/parity/adapter.ts OUT
    python3 bench/parity/adapter.py verify OUT

`make` writes a random base model, a random adapter and the log-probabilities that PEFT gives. The TypeScript step reads
both, compares, and writes the adapter anew. `verify` lets PEFT read that one and compares again.
"""

import json
import sys
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, Qwen3Config, Qwen3ForCausalLM

LIMIT = 1e-4
TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def logprobs(model: torch.nn.Module, rows: list[list[int]]) -> list[list[float]]:
    results = []
    with torch.no_grad():
        for row in rows:
            ids = torch.tensor(row)[None]
            logs = torch.log_softmax(model(input_ids=ids).logits.float()[0, :-1], dim=-1)
            results.append(logs.gather(1, ids[0, 1:, None])[:, 0].tolist())
    return results


def make(out: Path) -> None:
    torch.manual_seed(11)
    config = Qwen3Config(
        vocab_size=211, hidden_size=48, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2,
        head_dim=16, intermediate_size=80, max_position_embeddings=192, initializer_range=0.15,
        tie_word_embeddings=True, attn_implementation="eager",
    )
    base = Qwen3ForCausalLM(config).eval()
    base.save_pretrained(out / "base")
    adapted = get_peft_model(base, LoraConfig(task_type="CAUSAL_LM", r=4, lora_alpha=12, target_modules=TARGETS)).eval()
    for name, parameter in adapted.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.1)
    adapted.save_pretrained(out / "adapter")
    rows = [torch.randint(0, 211, (length,)).tolist() for length in (2, 17, 64, 150)]
    (out / "rows.json").write_text(json.dumps({"rows": rows, "logprobs": logprobs(adapted, rows)}))


def verify(out: Path) -> None:
    expected = json.loads((out / "rows.json").read_text())
    base = AutoModelForCausalLM.from_pretrained(out / "base", attn_implementation="eager", dtype=torch.float32)
    plain = logprobs(base.eval(), expected["rows"])
    adapted = PeftModel.from_pretrained(base, out / "written").eval()
    ours = logprobs(adapted, expected["rows"])

    def furthest(left: list[list[float]], right: list[list[float]]) -> float:
        return max(abs(a - b) for one, two in zip(left, right) for a, b in zip(one, two))

    distance = furthest(ours, expected["logprobs"])
    print(f"adapter written by Limbeck, read by PEFT: {distance:.2e} (limit {LIMIT}); base alone: {furthest(plain, ours):.2e}")
    sys.exit(0 if distance <= LIMIT < furthest(plain, ours) else 1)


if __name__ == "__main__":
    {"make": make, "verify": verify}[sys.argv[1]](Path(sys.argv[2]))
