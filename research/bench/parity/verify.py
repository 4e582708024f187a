"""Last third of the parity check: transformers reads what Limbeck wrote and compares.

    python3 research/bench/parity/verify.py OUT

Exits 1 when a log-probability differs by more than 1e-4, a gradient by more than 1e-3 of its norm, or a text becomes
other tokens. Adapters are read by PEFT.
"""

import importlib.util
import json
import sys
from pathlib import Path

import torch
from make import compute
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

LOGPROB_LIMIT = 1e-4
GRADIENT_LIMIT = 1e-3


def compare(folder: Path) -> bool:
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    rows = json.loads((folder / "cases.json").read_text())
    mine = compute(model, rows)
    theirs = load_file(folder.parent / f"{folder.name}.expected.safetensors")
    if set(mine) != set(theirs):
        print(f"{folder.name}: other names: {sorted(set(mine) ^ set(theirs))}")
        return False
    logprob = max((mine[key] - theirs[key]).abs().max().item() for key in mine if key.startswith("logprob"))
    gradient = max(
        ((mine[key] - theirs[key]).norm() / mine[key].norm().clamp_min(1e-12)).item()
        for key in mine
        if key.startswith("gradient")
    )
    good = logprob <= LOGPROB_LIMIT and gradient <= GRADIENT_LIMIT
    print(f"{folder.name}: log-probability {logprob:.2e}, gradient {gradient:.2e}: {'agree' if good else 'DIFFER'}")
    return good


def compare_words(folder: Path) -> bool:
    """The tokenizer and chat template of the folder, as transformers reads them."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    words = json.loads((folder / "words.json").read_text())
    wrong = [
        entry["text"]
        for entry in words["texts"]
        if tokenizer.encode(entry["text"], add_special_tokens=False) != entry["ids"]
        or tokenizer.decode(entry["ids"], clean_up_tokenization_spaces=False) != entry["text"]
    ]
    chat = tokenizer.apply_chat_template(words["messages"], tokenize=False, add_generation_prompt=True)
    good = not wrong and chat == words["chat"]
    print(f"{folder.name}: {len(words['texts'])} texts, {len(wrong)} with other tokens {wrong[:3]}; chat "
          f"{'agrees' if chat == words['chat'] else 'DIFFERS'}")
    return good


def compare_adapter(folder: Path) -> bool:
    """An adapter after one step by Limbeck, on the model that it belongs to."""
    from peft import PeftModel

    base = folder.parent / folder.name.removeprefix("adapter-of-")
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32, attn_implementation="eager")
    rows = json.loads((base / "cases.json").read_text())
    plain = compute(model.eval(), rows)
    mine = compute(PeftModel.from_pretrained(model, folder, is_trainable=True).eval(), rows)
    theirs = load_file(folder.parent / f"{folder.name}.expected.safetensors")
    distance = max((mine[key] - theirs[key]).abs().max().item() for key in theirs)
    moved = max((mine[key] - plain[key]).abs().max().item() for key in theirs)
    good = distance <= LOGPROB_LIMIT < moved
    print(f"{folder.name}: log-probability {distance:.2e} (from the base: {moved:.1e}): {'agree' if good else 'DIFFER'}")
    return good


def main() -> None:
    out = Path(sys.argv[1])
    folders = sorted(path for path in out.iterdir() if path.is_dir() and path.name.startswith("limbeck-"))
    results = [compare(folder) for folder in folders]
    results += [compare_words(folder) for folder in folders if (folder / "words.json").exists()]
    adapters = sorted(path for path in out.iterdir() if path.is_dir() and path.name.startswith("adapter-of-"))
    if importlib.util.find_spec("peft") is not None:
        results += [compare_adapter(folder) for folder in adapters]
    print(json.dumps({"folders": len(folders), "adapters": len(adapters), "agree": all(results)}))
    sys.exit(0 if results and all(results) else 1)


if __name__ == "__main__":
    main()
