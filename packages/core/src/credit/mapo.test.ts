import { expect, test } from "vitest";
import { assign, episodes, rowAdvantages } from "../../../../test/support/credit.ts";
import { mapo } from "./mapo.ts";

const batch = episodes({
  X: { outcome: 1, steps: [{ reward: 0.55 }, { reward: 0.5 }] },
  Y: { outcome: 0, steps: [{ reward: 0.2 }, { reward: 0 }] },
});

test("mixes the comparison by turn with that over the batch", () => {
  // G: X 0.55 + 0.9 * 0.5 = 1, 0.5; Y 0.2, 0. By turn: 0.4 / 0.565686 and 0.25 / 0.353554, both 0.7071.
  // Batch: mean 0.425, std 0.434933: 1.322037, 0.172440, -0.517320, -0.977160. Halves of both:
  const found = rowAdvantages(mapo, batch);
  for (const [at, expected] of [1.014573, 0.439772, -0.612213, -0.842132].entries()) {
    expect(found[at]).toBeCloseTo(expected, 5);
  }
});

test("a turn without peers is compared with the batch only", () => {
  const uneven = episodes({
    X: { outcome: 1, steps: [{ reward: 0 }, { reward: 1 }] },
    Y: { outcome: 0, steps: [{ reward: 0 }] },
  });
  expect(assign(mapo, uneven).terms["turn"]!.perRow![1]).toBe(0);
  // G: 0.9, 1, 0: mean 0.633333, std 0.550757; (1 - 0.633333) / 0.550758 = 0.665750, halved.
  expect(rowAdvantages(mapo, uneven)[1]).toBeCloseTo(0.332875, 5);
  expect(rowAdvantages(mapo, uneven, { mix: 1 })[1]).toBe(0);
});
