"""The server over a tiny model: samples, scores, gradients, checkpoints, refusals."""

from __future__ import annotations

import base64
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from conftest import VOCABULARY, Client, Running, datum, prompt

TOKENS = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]


def reference(folder: Path, tokens: list[int]) -> torch.Tensor:
    """Log-probabilities over the vocabulary after every token, by transformers itself."""
    model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager")
    with torch.no_grad():
        return torch.log_softmax(model(torch.tensor([tokens])).logits[0], -1)


def test_forward_gives_the_log_probabilities_of_transformers(client: Client, folder: Path) -> None:
    model = client.model()
    answer = client.forward(model, [datum(TOKENS), datum(TOKENS[:4])])
    table = reference(folder, TOKENS)
    wanted = [float(table[at, token]) for at, token in enumerate(TOKENS[1:])]
    got = [output["logprobs"]["data"] for output in answer["loss_fn_outputs"]]
    assert got[0] == pytest.approx(wanted, abs=1e-5)
    assert got[1] == pytest.approx(wanted[:3], abs=1e-5)


def test_steps_are_those_of_a_plain_loop(client: Client, folder: Path) -> None:
    """Full weights, three steps with clip and decay, against PyTorch's own AdamW."""
    model = client.model(rank=0)
    plain = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager")
    groups = [
        {"params": [p for p in plain.parameters() if (p.dim() > 1) == decays], "weight_decay": 0.1 if decays else 0.0}
        for decays in (True, False)
    ]
    optimizer = torch.optim.AdamW(groups, lr=0.01, betas=(0.9, 0.99), eps=1e-8)
    rows = [TOKENS, TOKENS[::-1], TOKENS[2:8]]
    for _ in range(3):
        client.forward(model, [datum(row) for row in rows], backward=True)
        norm = client.step(model, learning_rate=0.01, beta1=0.9, beta2=0.99, eps=1e-8, weight_decay=0.1, grad_clip_norm=1.0)
        optimizer.zero_grad()
        for row in rows:
            ids = torch.tensor([row])
            logprobs = torch.log_softmax(plain(ids).logits[0, :-1], -1)
            (-logprobs.gather(1, ids[0, 1:, None]).sum()).backward()
        total = torch.nn.utils.clip_grad_norm_(plain.parameters(), 1.0)
        assert norm["limbeck/grad_norm"] == pytest.approx(float(total), rel=1e-4)
        optimizer.step()
    got = client.forward(model, [datum(TOKENS)])["loss_fn_outputs"][0]["logprobs"]["data"]
    with torch.no_grad():
        table = torch.log_softmax(plain(torch.tensor([TOKENS])).logits[0], -1)
    assert got == pytest.approx([float(table[at, token]) for at, token in enumerate(TOKENS[1:])], abs=1e-4)


def sampled(client: Client, number: int, length: int = 7, **more: Any) -> Any:
    tokens = [(number * 5 + at * 3) % VOCABULARY for at in range(4 + number)]
    params = {"max_tokens": length, "seed": number, "temperature": 1.0}
    return client.sample(base_model="tiny", prompt=prompt(tokens), sampling_params=params, **more)


def test_samples_have_the_log_probabilities_that_scoring_gives(client: Client, folder: Path) -> None:
    [said] = sampled(client, 9)["sequences"]
    tokens = [(45 + at * 3) % VOCABULARY for at in range(13)]
    table = reference(folder, tokens + said["tokens"])
    wanted = [float(table[len(tokens) - 1 + at, token]) for at, token in enumerate(said["tokens"])]
    assert said["logprobs"] == pytest.approx(wanted, abs=1e-4)
    assert said["stop_reason"] == "length" and len(said["tokens"]) == 7


def test_company_changes_nothing(client: Client) -> None:
    alone = [sampled(client, number)["sequences"][0]["tokens"] for number in range(24)]
    numbers = []
    for number in range(24):
        tokens = [(number * 5 + at * 3) % VOCABULARY for at in range(4 + number)]
        body = {"base_model": "tiny", "prompt": prompt(tokens), "sampling_params": {"max_tokens": 7, "seed": number}}
        numbers.append(client.call("asample", body)[1]["request_id"])
    together = [client.call("retrieve_future", {"request_id": number})[1]["sequences"][0]["tokens"] for number in numbers]
    assert together == alone


def test_a_conversation_goes_on_without_being_read_again(client: Client, running: Running) -> None:
    start = [(at * 7) % VOCABULARY for at in range(40)]
    params = {"max_tokens": 5, "seed": 3}
    said = client.sample(base_model="tiny", prompt=prompt(start), sampling_params=params)["sequences"][0]["tokens"]
    longer = start + said + [8, 9]
    read = running.server.workshop.sampler.counts.read
    again = client.sample(base_model="tiny", prompt=prompt(longer), sampling_params={"max_tokens": 1, "temperature": 0})
    # At most the last word, which was said and not read, and the two new ones.
    assert running.server.workshop.sampler.counts.read - read <= 3
    fresh = client.sample(base_model="tiny", prompt=prompt(longer), sampling_params={"max_tokens": 1, "temperature": 0}, prompt_logprobs=True)
    assert fresh["sequences"][0]["logprobs"] == pytest.approx(again["sequences"][0]["logprobs"], abs=1e-4)


def test_several_samples_of_one_prompt_differ_by_their_seed(client: Client) -> None:
    both = sampled(client, 3, num_samples=2)["sequences"]
    params = {"max_tokens": 7, "seed": 4}
    tokens = [(15 + at * 3) % VOCABULARY for at in range(7)]
    second = client.sample(base_model="tiny", prompt=prompt(tokens), sampling_params=params)["sequences"][0]
    assert both[0]["tokens"] != both[1]["tokens"]
    assert both[1]["tokens"] == second["tokens"]


def test_stop_sequences_and_allowed_sets_end_a_response(client: Client) -> None:
    free = sampled(client, 5, 9)["sequences"][0]["tokens"]
    pair = free[2:4]
    end = next(at for at in range(1, 9) if free[at - 1 : at + 1] == pair)
    stopped = sampled(client, 5, 9, limbeck={"stop": [pair]})["sequences"][0]
    assert (stopped["tokens"], stopped["stop_reason"]) == (free[: end + 1], "stop")
    allowed = [[7, 8, 9], [7, 10], [11]]
    confined = sampled(client, 5, 9, limbeck={"allowed": allowed})["sequences"][0]
    assert confined["tokens"] in allowed and confined["stop_reason"] == "stop"
    own = confined["limbeck"]["allowed"]
    assert own["ids"][: own["offsets"][1]] == [7, 11]


def test_prompt_log_probabilities_and_the_likeliest_words(client: Client, folder: Path) -> None:
    table = reference(folder, TOKENS)
    params = {"max_tokens": 1, "temperature": 0}
    answer = client.sample(base_model="tiny", prompt=prompt(TOKENS), sampling_params=params, topk_prompt_logprobs=3)
    wanted = [float(table[at, token]) for at, token in enumerate(TOKENS[1:])]
    assert answer["prompt_logprobs"][0] is None
    assert answer["prompt_logprobs"][1:] == pytest.approx(wanted, abs=1e-5)
    values, ids = table[4].topk(3)
    assert [pair[0] for pair in answer["topk_prompt_logprobs"][5]] == ids.tolist()
    assert [pair[1] for pair in answer["topk_prompt_logprobs"][5]] == pytest.approx(values.tolist(), abs=1e-5)
    assert answer["sequences"][0]["tokens"] == [int(table[-1].argmax())]


def packed(values: list[float], kind: str) -> str:
    return base64.b64encode(np.array(values, dtype=kind).tobytes()).decode()


def floats(text: str) -> list[float]:
    return np.frombuffer(base64.b64decode(text), dtype="<f4").tolist()


def test_candidates_are_scored_and_learned_from(client: Client, folder: Path) -> None:
    table = reference(folder, TOKENS)
    wide = {"count": 2, "positions": packed([3, 5], "<i4"), "ids": packed([7, 8, 9, 10], "<i4")}
    model = client.model(rank=0)
    row = {**datum(TOKENS, weights=[0.0] * 9), "limbeck": wide}
    got = floats(client.forward(model, [datum(TOKENS), row])["limbeck"]["candidates"][1])
    wanted = [float(table[3, 7]), float(table[3, 8]), float(table[5, 9]), float(table[5, 10])]
    assert got == pytest.approx(wanted, abs=1e-5)
    prompted = {"count": 2, "positions": packed([4, 6], "<i4"), "ids": wide["ids"]}
    params = {"max_tokens": 1, "temperature": 0}
    asked = {"base_model": "tiny", "prompt": prompt(TOKENS), "sampling_params": params}
    answer = client.sample(**asked, limbeck={"candidates": prompted, "top": {"count": 2, "positions": packed([4], "<i4")}})
    assert floats(answer["limbeck"]["candidates"]) == pytest.approx(wanted, abs=1e-5)
    assert floats(answer["limbeck"]["top"]["logprobs"]) == pytest.approx(table[3].topk(2).values.tolist(), abs=1e-5)
    # A slope of -1 on one candidate makes it likelier, as a loss of -log-probability would.
    slopes = {**row, "limbeck": {**wide, "slopes": packed([-1, 0, 0, 0], "<f4")}}
    client.forward(model, [slopes], backward=True)
    client.step(model, learning_rate=1e-3)
    assert floats(client.forward(model, [row])["limbeck"]["candidates"][0])[0] > wanted[0]


def packed_datum(tokens: list[int], **inputs: list[float]) -> dict[str, Any]:
    ids = {"tokens": packed(tokens[:-1], "<i4"), "target_tokens": packed(tokens[1:], "<i4")}
    return {"limbeck": {**ids, **{name: packed(values, "<f4") for name, values in inputs.items()}}}


def test_packed_rows_are_the_same_rows(client: Client) -> None:
    model = client.model()
    inputs = {"weights": [1.0] * 9, "logprobs": [-2.0] * 9, "advantages": [0.5, -0.25, 1.0] * 3}
    wide = {"count": 2, "positions": packed([3, 5], "<i4"), "ids": packed([7, 8, 9, 10], "<i4")}
    plain = {**datum(TOKENS), "limbeck": wide}
    plain["loss_fn_inputs"].update({name: {"data": values} for name, values in inputs.items()})
    small = packed_datum(TOKENS, **inputs)
    small["limbeck"].update(wide)

    def passed(row: dict[str, Any], **more: Any) -> dict[str, Any]:
        given = {"data": [row], "loss_fn": "importance_sampling", **more}
        return client.done("forward", {"model_id": model, "forward_input": given})

    [wanted], got = passed(plain)["loss_fn_outputs"], passed(small, limbeck={"packed": True})
    assert got["loss_fn_outputs"] == []
    assert floats(got["limbeck"]["logprobs"][0]) == pytest.approx(wanted["logprobs"]["data"])
    assert floats(got["limbeck"]["losses"][0]) == pytest.approx(wanted["elementwise_loss"]["data"])
    assert got["limbeck"]["candidates"] == passed(plain)["limbeck"]["candidates"]


def test_a_packed_prompt_is_the_same_prompt(client: Client) -> None:
    params = {"max_tokens": 1, "temperature": 0}
    asked = {"base_model": "tiny", "sampling_params": params, "prompt_logprobs": True}
    plain = client.sample(**asked, prompt=prompt(TOKENS))
    small = client.sample(**asked, prompt={"chunks": []}, limbeck={"prompt": packed(TOKENS, "<i4")})
    assert small["prompt_logprobs"] is None
    assert floats(small["limbeck"]["prompt_logprobs"]) == pytest.approx(plain["prompt_logprobs"][1:])
    assert small["sequences"][0]["tokens"] == plain["sequences"][0]["tokens"]


@pytest.mark.parametrize(
    ("row", "field", "words"),
    [
        (packed_datum([1, VOCABULARY, 2]), "tokens", "not in the vocabulary"),
        (packed_datum([1, 2, 3], weights=[1.0]), "weights", "1 entries; the input has 2"),
        (packed_datum([1, 2, 3], weights=[1.0, math.nan]), "weights", "finite"),
        ({"limbeck": {"tokens": "?"}}, "tokens", "base64"),
    ],
)
def test_a_packed_row_with_a_fault_is_refused_by_name(client: Client, row: dict[str, Any], field: str, words: str) -> None:
    body = {"model_id": client.model(), "forward_input": {"data": [row], "loss_fn": "cross_entropy"}}
    status, answer = client.call("forward", body)
    assert status == 422
    [fault] = [one for one in answer["detail"] if one["loc"][-1] == field][:1]
    assert words in fault["msg"]


def test_a_version_is_sampled_from_as_it_was_and_the_live_one_moves_on(client: Client) -> None:
    model = client.model()
    save = {"model_id": model, "sampling_session_seq_id": 1, "seq_id": 1}
    session = client.done("save_weights_for_sampler", save)["sampling_session_id"]
    ask = {"sampling_session_id": session, "seq_id": 1, "prompt": prompt(TOKENS), "sampling_params": {"max_tokens": 1}, "prompt_logprobs": True}
    before = client.sample(**ask)["prompt_logprobs"][1:]
    client.forward(model, [datum(TOKENS)], backward=True)
    client.step(model, learning_rate=0.05)
    assert client.sample(**{**ask, "seq_id": 2})["prompt_logprobs"][1:] == pytest.approx(before, abs=1e-5)
    fresh = client.done("save_weights_for_sampler", {**save, "sampling_session_seq_id": 2})["sampling_session_id"]
    after = client.sample(**{**ask, "sampling_session_id": fresh})["prompt_logprobs"][1:]
    live = client.forward(model, [datum(TOKENS)])["loss_fn_outputs"][0]["logprobs"]["data"]
    # The adapter is merged into the weights that sample.
    assert after == pytest.approx(live, abs=1e-4)
    assert sum(after) > sum(before) + 0.1


@pytest.mark.parametrize("rank", [0, 4])
def test_saved_state_trains_on_as_if_nothing_had_happened(client: Client, rank: int) -> None:
    def learn(model: str) -> list[float]:
        client.forward(model, [datum(TOKENS)], backward=True)
        client.step(model, learning_rate=0.01)
        return client.forward(model, [datum(TOKENS)])["loss_fn_outputs"][0]["logprobs"]["data"]

    whole = client.model(rank)
    learn(whole)
    path = client.done("save_weights", {"model_id": whole, "path": f"half-{rank}"})["path"]
    wanted = learn(whole)
    fresh = client.model(rank)
    client.done("load_weights", {"model_id": fresh, "path": path})
    assert learn(fresh) == pytest.approx(wanted, abs=1e-6)


def test_the_saved_adapter_is_one_that_peft_loads(client: Client, running: Running, folder: Path) -> None:
    peft = pytest.importorskip("peft")
    model = client.model()
    client.forward(model, [datum(TOKENS)], backward=True)
    client.step(model, learning_rate=0.05)
    client.done("save_weights_for_sampler", {"model_id": model, "path": "peft"})
    files = running.server.workshop.checkpoints.find(f"tinker://{model}/sampler_weights/peft", "sampler_weights")
    adapted = peft.PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(folder), files)
    with torch.no_grad():
        table = torch.log_softmax(adapted(torch.tensor([TOKENS])).logits[0], -1)
    live = client.forward(model, [datum(TOKENS)])["loss_fn_outputs"][0]["logprobs"]["data"]
    assert live == pytest.approx([float(table[at, token]) for at, token in enumerate(TOKENS[1:])], abs=1e-4)
    ask = {"prompt": prompt(TOKENS), "sampling_params": {"max_tokens": 1}, "prompt_logprobs": True}
    again = client.sample(model_path=f"tinker://{model}/sampler_weights/peft", **ask)
    assert again["prompt_logprobs"][1:] == pytest.approx(live, abs=1e-4)


def test_sessions_on_one_base_model_do_not_touch_each_other(client: Client) -> None:
    first, second = client.model(), client.model()
    before = client.forward(second, [datum(TOKENS)])["loss_fn_outputs"][0]["logprobs"]["data"]
    client.forward(first, [datum(TOKENS)], backward=True)
    client.step(first, learning_rate=0.05)
    assert client.forward(second, [datum(TOKENS)])["loss_fn_outputs"][0]["logprobs"]["data"] == before


def test_out_of_memory_is_an_answer_and_smaller_batches_are_tried_first(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from limbeck_torch import passes

    whole = passes.hidden_of
    seen: list[int] = []

    def cramped(model: Any, ids: torch.Tensor, **more: Any) -> torch.Tensor:
        seen.append(ids.numel())
        if ids.numel() > 30:
            raise torch.OutOfMemoryError("no room")
        return whole(model, ids, **more)

    monkeypatch.setattr(passes, "hidden_of", cramped)
    model = client.model()
    answer = client.forward(model, [datum(TOKENS)] * 5)
    assert len(answer["loss_fn_outputs"]) == 5 and max(seen) == 45
    long = datum([at % VOCABULARY for at in range(60)])
    forward = {"model_id": model, "forward_backward_input": {"data": [long], "loss_fn": "cross_entropy"}}
    status, refused = client.work("forward_backward", forward)
    assert status == 400 and "Out of memory on the device with a row of 59 tokens" in refused["detail"]
    status, refused = client.work("optim_step", {"model_id": model, "adam_params": {}})
    assert status == 400 and "gradients were thrown away" in refused["detail"]
    # After that it goes on.
    client.forward(model, [datum(TOKENS)], backward=True)
    assert client.step(model)["limbeck/grad_norm"] > 0


def test_a_gradient_that_is_not_finite_changes_nothing(client: Client) -> None:
    model = client.model()
    row = datum(TOKENS, weights=[1.0] * 9, logprobs=[-1e4] * 9, advantages=[1e30] * 9)
    before = client.forward(model, [datum(TOKENS)])["loss_fn_outputs"][0]["logprobs"]["data"]
    client.work("forward_backward", {"model_id": model, "forward_backward_input": {"data": [row], "loss_fn": "importance_sampling"}})
    status, refused = client.work("optim_step", {"model_id": model, "adam_params": {}})
    assert status == 400 and "norm is" in refused["detail"]
    assert client.forward(model, [datum(TOKENS)])["loss_fn_outputs"][0]["logprobs"]["data"] == before


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("create_session", {"tags": "none"}, 422, "list of texts"),
        ("asample", {"base_model": "other", "prompt": prompt([1]), "sampling_params": {"max_tokens": 1}}, 400, 'it is "tiny"'),
        ("asample", {"base_model": "tiny", "prompt": prompt([61]), "sampling_params": {"max_tokens": 1}}, 422, "allowed: 0 to 60"),
        ("asample", {"base_model": "tiny", "prompt": prompt([1] * 128), "sampling_params": {"max_tokens": 1}}, 400, "no room for an answer"),
        ("asample", {"base_model": "tiny", "prompt": prompt([1]), "sampling_params": {}}, 400, "max_tokens is required"),
        ("weights_info", {"tinker_path": "tinker://model/../up"}, 400, "is not tinker://MODEL/weights/NAME"),
        ("retrieve_future", {"request_id": "1"}, 404, "not found"),
        ("forward", {"model_id": "model_0", "forward_input": {}}, 404, "not loaded"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(client: Client, path: str, body: Any, status: int, words: str) -> None:
    got, answer = client.work(path, body) if path == "asample" else client.call(path, body)
    assert got == status
    assert words in str(answer["detail"])


def test_a_key_is_asked_for(locked: Client) -> None:
    assert locked.call("healthz")[0] == 200
    assert locked.call("get_server_capabilities")[0] == 401
    assert locked.call("get_server_capabilities", key="tml-wrong")[0] == 401
    assert locked.call("get_server_capabilities", key="tml-secret")[0] == 200


def test_mean_sampled_words_follow_the_distribution(client: Client, folder: Path) -> None:
    table = reference(folder, TOKENS)[-1].exp()
    counts = np.zeros(VOCABULARY)
    for start in range(0, 1_000, 250):
        params = {"max_tokens": 1, "seed": start}
        said = client.sample(base_model="tiny", prompt=prompt(TOKENS), sampling_params=params, num_samples=250)
        for sequence in said["sequences"]:
            counts[sequence["tokens"][0]] += 1
    likeliest = int(table.argmax())
    share, deviation = float(table[likeliest]), math.sqrt(float(table[likeliest]) * (1 - float(table[likeliest])) / 1_000)
    assert abs(counts[likeliest] / 1_000 - share) < 4 * deviation


def test_a_client_that_waits_gets_the_result_with_the_answer_to_its_submit(client: Client) -> None:
    asked = {"base_model": "tiny", "prompt": prompt(TOKENS), "sampling_params": {"max_tokens": 2, "temperature": 0.0}}
    status, told = client.call("asample", asked, X_Limbeck_Wait="30", X_Idempotency_Key="waits")
    assert status == 200
    assert len(told["limbeck"]["result"]["sequences"][0]["tokens"]) == 2
    assert client.call("asample", asked, X_Limbeck_Wait="30", X_Idempotency_Key="waits")[1] == told
    assert "limbeck" not in client.call("asample", asked)[1]
    assert "limbeck" not in client.call("asample", asked, X_Limbeck_Wait="soon")[1]
    # A failure is told when its result is asked for.
    other = {**asked, "base_model": "another"}
    assert "limbeck" not in client.call("asample", other, X_Limbeck_Wait="30")[1]


def test_a_fault_inside_the_sampler_fails_those_who_wait_and_not_the_server(
    running: Running, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"base_model": "tiny", "prompt": prompt(TOKENS), "sampling_params": {"max_tokens": 2, "temperature": 0.0}}
    slots = running.server.workshop.sampler._slots
    with monkeypatch.context() as patch:
        patch.setattr(slots, "seat", lambda _: 1 / 0)
        status, told = client.work("asample", asked)
        assert (status, told["detail"]) == (400, "division by zero")
    assert client.work("asample", asked)[0] == 200
