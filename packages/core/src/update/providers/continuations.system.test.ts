import { expect, test } from "vitest";
import { tryProvider } from "../../../../../test/support/provider-bench.ts";

test("continuations of the policy come to the true value of the state", async () => {
  // From room 2 with steps to spare: 0.5 at once, or back to room 1 and again. Four steps in all, so that from the
  // start (gamma 1) V = P(two net steps east within 4): a way fails only if it never stands in room 3.
  // East is refused nowhere; west is refused in room 1. Counted out below.
  const value = (room: number, left: number): number => {
    if (room === 3) return 1;
    if (left === 0) return 0;
    return 0.5 * value(room + 1, left - 1) + 0.5 * value(Math.max(1, room - 1), left - 1);
  };
  const { batch } = await tryProvider("continuations", {
    credit: "mc-critic",
    size: 1,
    given: { "continuations.count": 400, "credit.gamma": 1 },
  });
  batch.rows.forEach(({ step, state, signals }) => {
    const exact = value(Number(state?.replace("room ", "")), 4 - step);
    // Standard error of 400 draws is at most 0.025.
    expect(Math.abs((signals?.stateValue?.before ?? 0) - exact)).toBeLessThan(0.1);
  });
});
