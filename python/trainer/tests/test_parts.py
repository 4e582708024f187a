"""The parts by themselves, with numbers worked out by hand."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

from limbeck_torch.batches import plan_batches
from limbeck_torch.draw import Restriction, draw
from limbeck_torch.errors import Refusal, WorkFailed
from limbeck_torch.futures import Futures
from limbeck_torch.hf_model import NotServed
from limbeck_torch.logprobs import token_logprobs, top_logprobs
from limbeck_torch.lora import AdapterSwitch, fresh_adapter
from limbeck_torch.losses import token_losses
from limbeck_torch.merge import merge
from limbeck_torch.rng import Rng, seeded
from limbeck_torch.slots import Slots
from limbeck_torch.turn import trie_of


def test_seeds_give_the_numbers_of_limbeck() -> None:
    # createRng(7).float() three times, and createRng("a") once, as Limbeck prints them.
    rng = seeded(7)
    assert [rng.uniform() for _ in range(3)] == [0.28121539670974016, 0.7841104052495211, 0.08623651880770922]
    assert seeded("a").uniform() == 0.0022712736390531063


def test_a_generator_goes_on_from_its_state() -> None:
    # sfc32 from (1, 2, 3, 4): 1 + 2 + 4 = 7; then a = 2 ^ 0, b = 3 + 24 = 27, so 2 + 27 + 5 = 34.
    rng = Rng((1, 2, 3, 4))
    assert [rng.uniform() * 2**32 for _ in range(2)] == [7, 34]


LOGITS = torch.log(torch.tensor([[0.5, 0.3, 0.2]]))


@pytest.mark.parametrize(("uniform", "token"), [(0.0, 0), (0.49, 0), (0.51, 1), (0.79, 1), (0.81, 2), (0.999999, 2)])
def test_a_number_picks_the_token_whose_share_it_falls_into(uniform: float, token: int) -> None:
    drawn = draw(LOGITS, torch.ones(1), torch.tensor([uniform]), None)
    assert drawn.tokens.tolist() == [token]
    assert drawn.logprobs.tolist() == pytest.approx([math.log([0.5, 0.3, 0.2][token])], abs=1e-6)
    assert drawn.sampled.tolist() == pytest.approx(drawn.logprobs.tolist(), abs=1e-6)


def test_temperature_changes_what_is_drawn_from_and_not_the_log_probability() -> None:
    # At temperature 0.5 the shares are squares: 25, 9 and 4 of 38. 0.7 falls into the second.
    drawn = draw(LOGITS, torch.tensor([0.5]), torch.tensor([0.7]), None)
    assert drawn.tokens.tolist() == [1]
    assert drawn.logprobs.tolist() == pytest.approx([math.log(0.3)], abs=1e-6)
    assert drawn.sampled.tolist() == pytest.approx([math.log(9 / 38)], abs=1e-6)
    cold = draw(LOGITS, torch.zeros(1), torch.tensor([0.9]), None)
    assert (cold.tokens.tolist(), cold.sampled.tolist()) == ([0], [0.0])


def restriction(top_k: int = 3, top_p: float = 1.0, min_p: float = 0.0, allowed: list[bool] | None = None) -> Restriction:
    mask = None if allowed is None else torch.tensor([allowed])
    return Restriction(torch.tensor([top_k]), torch.tensor([top_p]), torch.tensor([min_p]), mask)


@pytest.mark.parametrize(
    ("given", "uniform", "token", "chance"),
    [
        (restriction(top_k=2), 0.9, 1, 0.3 / 0.8),
        (restriction(top_p=0.6), 0.99, 1, 0.3 / 0.8),
        (restriction(top_p=0.5), 0.99, 0, 1.0),
        # 0.2 is less than half of 0.5.
        (restriction(min_p=0.5), 0.99, 1, 0.3 / 0.8),
        (restriction(allowed=[False, True, True]), 0.7, 2, 0.4),
        (restriction(allowed=[False, True, True], top_k=1), 0.7, 1, 1.0),
    ],
)
def test_restrictions_cut_what_is_drawn_from(given: Restriction, uniform: float, token: int, chance: float) -> None:
    drawn = draw(LOGITS, torch.ones(1), torch.tensor([uniform]), given)
    assert drawn.tokens.tolist() == [token]
    assert drawn.sampled.tolist() == pytest.approx([math.log(chance)], abs=1e-6)


def test_losses_and_slopes() -> None:
    logprobs, behaviour = torch.log(torch.tensor([0.5, 0.5, 0.5])), torch.log(torch.tensor([0.5, 0.25, 0.25]))
    advantages, weights = torch.tensor([2.0, 1.0, -1.0]), torch.tensor([1.0, 1.0, 0.5])
    given = (logprobs, weights, behaviour, advantages, 0.8, 1.2)
    # Ratios 1, 2 and 2.
    assert token_losses("importance_sampling", *given)[0].tolist() == pytest.approx([-2, -2, 1])
    loss, slope = token_losses("ppo", *given)
    assert loss.tolist() == pytest.approx([-2, -1.2, 1])
    assert slope.tolist() == pytest.approx([-2, 0, 1])
    loss, slope = token_losses("cispo", *given)
    assert slope.tolist() == pytest.approx([-2, -1.2, 0.6])
    assert loss.tolist() == pytest.approx([-2 * math.log(0.5), -1.2 * math.log(0.5), 0.6 * math.log(0.5)])
    assert token_losses("cross_entropy", *given)[1].tolist() == [-1, -1, -0.5]


def test_log_probabilities_and_their_gradients_are_those_of_the_whole_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limbeck_torch.logprobs._CELLS", 3 * 7)
    generator = torch.Generator().manual_seed(1)
    hidden, weight = (torch.randn(shape, generator=generator) for shape in ((8, 5), (7, 5)))
    ids, slopes = torch.randint(0, 7, (8, 2), generator=generator), torch.randn((8, 2), generator=generator)
    pairs = []
    for compute in (lambda h, w: token_logprobs(h, w, ids), lambda h, w: torch.log_softmax(h @ w.t(), -1).gather(1, ids)):
        h, w = hidden.clone().requires_grad_(), weight.clone().requires_grad_()
        value = compute(h, w)
        value.backward(slopes)
        pairs.append((value.detach(), h.grad, w.grad))
    for ours, theirs in zip(*pairs):
        assert torch.allclose(ours, theirs, atol=1e-5)


def test_the_likeliest_come_first_and_of_equal_ones_the_lower_id() -> None:
    weight = torch.tensor([[1.0], [3.0], [1.0], [3.0], [0.0]])
    ids, values = top_logprobs(torch.ones(2, 1), weight, 3)
    assert ids.tolist() == [[1, 3, 0]] * 2
    assert values[0].tolist() == pytest.approx(torch.log_softmax(weight[:, 0], 0)[[1, 3, 0]].tolist())


def test_batches_hold_rows_of_similar_length_within_the_budget() -> None:
    assert plan_batches([3, 10, 9, 2, 50], 20) == [[4], [1, 2], [0, 3]]


def test_slots_go_on_copy_or_wait() -> None:
    slots = Slots(3, 100)
    first = slots.seat(list(range(40)))
    assert first is not None and (first.computed, first.copy_from) == (0, None)
    # Nothing of it is there yet, and waiting saves 39 tokens.
    assert slots.seat(list(range(40))) is None
    first.slot.computed = 40
    second = slots.seat([*range(35), 90, 91])
    assert second is not None and (second.computed, second.copy_from) == (35, first.slot)
    slots.say(first.slot, 77)
    slots.release(first.slot)
    # The token that was said last was not read; everything before is still there.
    on = slots.seat([*range(40), 77, 5])
    assert on is not None and (on.slot, on.computed, on.copy_from) == (first.slot, 40, None)
    third = slots.seat([50, 51])
    assert third is not None and third.slot not in (first.slot, second.slot)
    assert slots.seat([60]) is None


def test_a_shared_beginning_is_found_to_the_token_however_long() -> None:
    slots = Slots(4, 300)
    shared = list(range(200))
    for at, end in enumerate((0, 63, 64, 199)):
        taken = slots.seat([*shared[:end], 900 + at])
        assert taken is not None
        taken.slot.computed = taken.slot.planned
    # Those that were read hold 0, 63, 64 and 199 tokens of it; one is given up for the copy of the longest.
    for slot in slots.all[1:3]:
        slots.release(slot)
    seat = slots.seat([*shared, 950])
    assert seat is not None and (seat.computed, seat.copy_from) == (199, slots.all[3])


def test_a_conversation_goes_on_in_its_own_slot_although_others_end_alike() -> None:
    slots = Slots(4, 300)
    ending = [7, 7, 7, 7, 7]
    talks = [[*range(40), 100, *ending], [*range(40), 101, *ending], [*range(40), 100, *ending, 1, 2, 3, 4]]
    for talk in talks:
        taken = slots.seat(talk)
        assert taken is not None
        taken.slot.computed = taken.slot.planned
    for slot in slots.all:
        slots.release(slot)
    for talk, own in zip(talks, slots.all):
        seat = slots.seat([*talk, 9, 8])
        assert seat is not None and (seat.slot, seat.computed, seat.copy_from) == (own, len(talk), None)


def test_results_that_were_fetched_make_room_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limbeck_torch.futures._KEPT", 3)

    async def story() -> None:
        futures = Futures()

        async def work(value: int) -> dict[str, int]:
            return {"value": value}

        numbers = [futures.begin(work(value)) for value in range(3)]
        assert [await futures.wait(numbers[1], 1) for _ in range(2)] == [{"value": 1}] * 2
        numbers.append(futures.begin(work(3)))
        with pytest.raises(Refusal, match="expired"):
            await futures.wait(numbers[1], 1)
        await asyncio.sleep(0)
        # Nobody fetched any of the others: the oldest goes.
        futures.begin(work(4))
        with pytest.raises(Refusal, match="expired"):
            await futures.wait(numbers[0], 1)
        assert await futures.wait(numbers[3], 1) == {"value": 3}

    asyncio.run(story())


def test_an_adapter_is_added_to_a_folder(folder: Path, tmp_path: Path) -> None:
    base = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    adapter = fresh_adapter(base, 2, 0)
    for down, up in adapter.parts.values():
        up.data.normal_(generator=torch.Generator().manual_seed(down.shape[1]))
    adapter.save(tmp_path, "tiny")
    merge(folder, tmp_path, tmp_path / "both", torch.device("cpu"))
    ids = torch.arange(12)[None]
    opened = AutoModelForCausalLM.from_pretrained(tmp_path / "both", dtype=torch.float32)
    switch = AdapterSwitch(base)
    with torch.no_grad(), switch.using(adapter):
        assert torch.allclose(opened(ids).logits, base(ids).logits, atol=1e-4)
    other = tmp_path / "other"
    LlamaForCausalLM(LlamaConfig(vocab_size=9, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1)).save_pretrained(other)
    with pytest.raises(NotServed, match="belongs to another model"):
        merge(other, tmp_path, tmp_path / "none", torch.device("cpu"))


def test_allowed_sequences_become_a_tree_and_a_beginning_of_another_is_refused() -> None:
    assert trie_of([[1, 3], [1, 2], [4]]) == {1: {2: {}, 3: {}}, 4: {}}
    for wrong in ([[1], [1, 2]], [[1, 2], [1]]):
        with pytest.raises(WorkFailed, match="the beginning of another"):
            trie_of(wrong)
