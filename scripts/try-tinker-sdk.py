"""Trains and samples with the official client `tinker` against the server at TINKER_BASE_URL, and prints what it did."""

import os
import sys

import tinker
from tinker import types

base_model, path = sys.argv[1], sys.argv[2]
service = tinker.ServiceClient(base_url=os.environ["TINKER_BASE_URL"])
served = [model.model_name for model in service.get_server_capabilities().supported_models]
assert base_model in served, served
training = service.create_lora_training_client(base_model=base_model, rank=4)

tokens = [3, 1, 4, 1, 5, 9, 2, 6]
text = types.ModelInput.from_ints(tokens[:-1])
plain = types.Datum(model_input=text, loss_fn_inputs={"target_tokens": tokens[1:], "weights": [1.0] * 7})
adam = types.AdamParams(learning_rate=0.01)


def loss(output):
    return -sum(float(value) for value in output.loss_fn_outputs[0]["logprobs"].tolist())


first = training.forward([plain], "cross_entropy").result()
for _ in range(5):
    training.forward_backward([plain], "cross_entropy").result()
    training.optim_step(adam).result()
last = training.forward([plain], "cross_entropy").result()
assert loss(last) < loss(first), (loss(first), loss(last))

named = training.save_weights_for_sampler(name=f"sdk-{path}").result().path
sampler = service.create_sampling_client(model_path=named)
sampled = sampler.sample(
    prompt=types.ModelInput.from_ints(tokens[:4]),
    num_samples=2,
    sampling_params=types.SamplingParams(max_tokens=3, temperature=1.0, seed=1),
    include_prompt_logprobs=True,
).result()
assert [len(one.tokens) for one in sampled.sequences] == [3, 3], sampled
assert all(len(one.logprobs) == 3 for one in sampled.sequences)
assert sampled.prompt_logprobs is not None and len(sampled.prompt_logprobs) == 4

one = sampled.sequences[0]
rated = types.Datum(
    model_input=types.ModelInput.from_ints(tokens[:4] + list(one.tokens)[:-1]),
    loss_fn_inputs={
        "target_tokens": tokens[1:4] + list(one.tokens),
        "logprobs": [0.0] * 3 + [float(value) for value in one.logprobs],
        "advantages": [0.0] * 3 + [1.0] * 3,
    },
)
training.forward_backward([rated], "importance_sampling").result()
training.optim_step(adam).result()
saved = training.save_state(f"state-{path}").result().path

rest = service.create_rest_client()
listed = rest.list_user_checkpoints().result().checkpoints
assert saved in [checkpoint.tinker_path for checkpoint in listed], listed
archive = rest.get_checkpoint_archive_url_from_tinker_path(named).result()
assert archive.url, archive
print(f"loss {loss(first):.3f} -> {loss(last):.3f}, 2 samples of 3 tokens, {len(listed)} checkpoints, an archive")
