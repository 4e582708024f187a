import { expect, test } from "vitest";
import type { Sibling, StepOutline } from "../../../../src/serve/api.ts";
import { besideRows } from "./beside.ts";

const outline = (index: number): StepOutline => ({
  index,
  action: `act ${index}`,
  valid: true,
  reward: 0,
  tokens: 1,
  visits: 1,
  advantage: null,
  skills: 0,
  error: false,
});
const sibling = (diverged: number | null, shared: number): Sibling => ({
  id: "other",
  outcome: "success",
  reward: 1,
  steps: 3,
  shared,
  diverged: diverged === null ? null : { step: diverged, own: "a", theirs: "b" },
  relation: "sibling",
});

test("rows are shared up to where the two part", () => {
  const rows = besideRows([0, 1, 2].map(outline), [0, 1].map(outline), sibling(1, 1));
  expect(rows).toEqual([
    { index: 0, kind: "shared", own: 0, theirs: 0 },
    { index: 1, kind: "parting", own: 1, theirs: 1 },
    { index: 2, kind: "apart", own: 2, theirs: undefined },
  ]);
});

test("a branch has no steps of its own before its branch point", () => {
  // The branch begins at step 2; steps 0 and 1 stand in the other trajectory.
  const rows = besideRows([2, 3].map(outline), [0, 1, 2].map(outline), sibling(2, 2));
  expect(rows.map(({ kind, own, theirs }) => [kind, own, theirs])).toEqual([
    ["shared", undefined, 0],
    ["shared", undefined, 1],
    ["parting", 0, 2],
    ["apart", 1, undefined],
  ]);
});

test("one may go on where the other ends", () => {
  const rows = besideRows([0, 1].map(outline), [0].map(outline), sibling(null, 1));
  expect(rows.map(({ kind }) => kind)).toEqual(["shared", "apart"]);
});
