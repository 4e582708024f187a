import { describe, expect, test } from "vitest";
import { assignCredit, prepareBatch } from "./assign.ts";
import type { CreditRow } from "./credit.ts";
import { gae } from "./gae.ts";
import { grpo } from "./grpo.ts";
import { opid } from "./opid.ts";

const good: CreditRow = { task: "t", trajectory: "X", step: 0, valid: true, mask: Uint8Array.of(1, 0) };
const trajectories = new Map([["X", { outcome: 1, success: null }]]);
const prepare = (fields: Partial<CreditRow>) => () => prepareBatch({ rows: [{ ...good, ...fields }], trajectories });

describe("rows given by a program are checked like those from a file", () => {
  test.each<[string, Partial<CreditRow>, RegExp]>([
    ["reward", { reward: Number.NaN }, /Row 0 .* field "reward": is NaN/],
    ["greedyScore", { greedyScore: Number.POSITIVE_INFINITY }, /field "greedyScore": is Infinity/],
    ["mask", { mask: Uint8Array.of(1, 3) }, /field "mask\[1\]": is 3/],
    ["step", { step: 0.5 }, /field "step": is 0.5/],
    ["task", { task: "" }, /field "task": is empty/],
    ["ragged values", { values: Float64Array.of(1) }, /field "values": has 1 values for a mask of 2 tokens/],
    ["token rewards", { tokenRewards: Float64Array.of(Number.NaN, 0) }, /field "tokenRewards\[0\]": is NaN/],
    ["old", { logprobs: { old: Float64Array.of(-Infinity, 0) } }, /field "logprobs.old\[0\]": is -Infinity/],
    ["turns", { turns: [{ start: 0, end: 3 }] }, /field "turns\[0\]": is 0 to 3/],
    [
      "a signal",
      { signals: { stateValue: { before: Number.NaN } } },
      /field "signals.stateValue.before": is not a finite/,
    ],
    [
      "cuts",
      {
        signals: {
          cuts: [
            { token: 1, value: 0 },
            { token: 0, value: 0 },
          ],
        },
      },
      /field "signals.cuts\[1\].token": is 0/,
    ],
    ["cuts too far", { signals: { cuts: [{ token: 2, value: 0 }] } }, /cuts ascend from -1/],
    ["trajectory", { trajectory: "W" }, /field "trajectory": has no outcome/],
  ])("%s", (_, fields, message) => expect(prepare(fields)).toThrow(message));

  test("an outcome that is no number", () => {
    const wrong = new Map([["X", { outcome: Number.NaN, success: null }]]);
    expect(() => prepareBatch({ rows: [good], trajectories: wrong })).toThrow(
      'Trajectory "X", field "outcome": is NaN',
    );
  });
});

test("what a method reads is checked, what it does not read may be anything", () => {
  const rows = [{ ...good, values: Float64Array.of(Number.NaN, 0) }];
  expect(() => assignCredit(gae, { rows, trajectories })).toThrow(/field "values\[0\]": is NaN/);
  // Alone in its group the row keeps its score, over 1 + epsilon, on its one trained token.
  expect(assignCredit(grpo, { rows, trajectories }).advantages).toEqual([Float64Array.of(1 / (1 + 1e-6), 0)]);
  const taught = [
    { ...good, logprobs: { old: Float64Array.of(Number.NaN, 0), episodeTeacher: Float64Array.of(0, 0) } },
  ];
  expect(() => assignCredit(opid, { rows: taught, trajectories })).toThrow(/field "logprobs.old\[0\]": is NaN/);
});

test("unknown options and values are refused by name", () => {
  const batch = { rows: [good], trajectories };
  const loose = (options: Record<string, unknown>) => () => assignCredit(grpo, batch, options);
  expect(loose({ singelton: "raw" })).toThrow('No option of GRPO "singelton". Did you mean "singleton"?');
  expect(loose({ singleton: "none" })).toThrow(
    'Option singleton of GRPO is "none"; it takes raw or zero. Its default is raw.',
  );
  expect(loose({ epsilon: Number.NaN })).toThrow(/Option epsilon of GRPO is NaN; it takes a number at least 1e-12/);
  expect(loose({ normByStd: 1 })).toThrow(/it takes true or false/);
});
