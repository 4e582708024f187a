"""What only a GPU has: the kernel and the captured graphs. Skipped without one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(("heads", "shared", "size"), [(8, 2, 64), (4, 4, 128), (6, 2, 80)])
def test_the_kernel_computes_what_plain_attention_does(dtype: torch.dtype, heads: int, shared: int, size: int) -> None:
    from limbeck_torch.attention import _plain
    from limbeck_torch.slot_kernel import slot_attention

    torch.manual_seed(0)
    keys, values = (torch.randn((5, 200, shared, size), device="cuda", dtype=dtype) for _ in range(2))
    segments = [(3, 0, 1, 150), (0, 1, 2, 0), (2, 2, 72, 100)]
    slots = torch.tensor([3, 0] + [2] * 70, device="cuda")
    positions = torch.tensor([150, 0, *range(100, 170)], device="cuda")
    query = torch.randn((heads, 72, size), device="cuda", dtype=dtype)
    ours = slot_attention(query, keys, values, slots, positions, size**-0.5)
    plain = _plain(query, keys, values, segments, size**-0.5)
    assert torch.allclose(ours, plain, atol=2e-2 if dtype == torch.bfloat16 else 1e-4)


@torch.no_grad()
def test_a_captured_step_gives_what_a_plain_pass_gives(folder: Path) -> None:
    from limbeck_torch.hf_model import open_model, shape_of
    from limbeck_torch.stepper import Plan, Stepper

    base = open_model(folder, torch.device("cuda"), torch.float32)
    tokens = np.array([3, 1, 4, 1, 5, 9, 2, 6])
    wanted = base(torch.tensor([tokens.tolist()], device="cuda")).logits[0].float()
    for graphs in (True, False):
        stepper = Stepper(base, shape_of(base), 4, 8, graphs)
        how = (np.array([0.0]), np.array([0.5]))
        read = Plan(tokens[:5], np.full(5, 2), np.arange(5), np.array([4]), *how, [(2, 0, 5, 0)])
        logits, results = stepper.run(read)
        assert torch.allclose(logits[0], wanted[4], atol=1e-3)
        assert int(results[0, 0]) == int(wanted[4].argmax()) == int(stepper.last[2])
        for at in range(5, 8):
            stepper.last[2] = int(tokens[at])
            said = Plan(np.array([-1]), np.array([2]), np.array([at]), np.array([0]), *how, [(2, 0, 1, at)])
            assert torch.allclose(stepper.run(said)[0][0], wanted[at], atol=1e-3)
