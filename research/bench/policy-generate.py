"""The same model in transformers, sampling with its `generate`.

Reads one JSON object a line: first {"config", "rows", "length", "threads"}, then {"steps"} as often as wanted; answers each with
{"seconds"} for so many tokens of each row after a prompt of `length`. Reading the prompt is not counted: the time of one
token is taken off.
"""

import json
import sys
import time

import torch
from transformers import GenerationConfig, Qwen3Config, Qwen3ForCausalLM


def main():
    setup = json.loads(sys.stdin.readline())
    torch.set_num_threads(setup["threads"])
    torch.manual_seed(0)
    c = setup["config"]
    model = Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=c["vocabularySize"],
            hidden_size=c["hiddenSize"],
            num_hidden_layers=c["layers"],
            num_attention_heads=c["heads"],
            num_key_value_heads=c["keyValueHeads"],
            head_dim=c["headSize"],
            intermediate_size=c["intermediateSize"],
            max_position_embeddings=c["contextLength"],
            rms_norm_eps=c["normEpsilon"],
            tie_word_embeddings=c["tiedEmbeddings"],
            eos_token_id=None,
            bos_token_id=None,
            pad_token_id=0,
        )
    ).eval()
    ids = torch.randint(c["vocabularySize"], (setup["rows"], setup["length"]))

    def seconds(tokens):
        how = GenerationConfig(
            max_new_tokens=tokens, min_new_tokens=tokens, do_sample=True, top_k=0, eos_token_id=None, pad_token_id=0
        )
        begun = time.perf_counter()
        said = model.generate(ids, attention_mask=torch.ones_like(ids), generation_config=how)
        assert said.shape[1] == ids.shape[1] + tokens
        return time.perf_counter() - begun

    with torch.inference_mode():
        for line in sys.stdin:
            steps = json.loads(line)["steps"]
            read = seconds(1)
            print(json.dumps({"seconds": seconds(1 + steps) - read}), flush=True)


main()
