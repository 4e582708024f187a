/** The table of a study, from lines as the command line writes them. */
import { expect, test } from "vitest";
import { tableOf, type Done } from "./table.ts";

const spent = (sampledTokens: number, modelTokens: number) => ({ sampledTokens, modelTokens });
const warmed = { updates: 120, seconds: 60.4, measured: { none: { success: 0.234 }, sampled: { success: null } } };

const risen: Done = {
  world: "tickets",
  seed: 1,
  arm: "opid",
  warmed,
  trained: [
    { event: "start" },
    { event: "update", update: 1, spent: spent(10, 100), metrics: { "teacher/tokens": 5 } },
    // Stopped after it, and resumed from the checkpoint before it: this one is told twice.
    { event: "update", update: 2, spent: spent(20, 200), metrics: { "teacher/tokens": 7 } },
    { event: "update", update: 2, spent: spent(20, 200), metrics: { "teacher/tokens": 7 } },
    { reason: "finished", seconds: 12.6 },
  ],
  played: [
    { event: "policy", side: "policy", success: { mean: 0.5 } },
    { event: "policy", side: "against", success: { mean: 0.25 } },
    { event: "comparison", difference: 0.25, low: 0.15, high: 0.35 },
  ],
};

test("a line has the paired difference, and tokens that were sampled, read and scored, by the teacher too", () => {
  // 20 sampled, 200 read or scored by the policy, 5 + 7 by the teacher.
  expect(tableOf([risen])).toContain(
    "| tickets | 1 | opid | 120, 0.23,  | 0.25 | 0.50 | 0.25 (0.15 to 0.35) | finished | 2 | 60 + 13 | 232 |\n",
  );
});

test("a sum counts rises, falls and those that did not come to their end", () => {
  const fallen: Done = {
    ...risen,
    seed: 2,
    played: [{ event: "comparison", difference: -0.2, low: -0.3, high: -0.1 }],
  };
  const stopped: Done = { ...risen, seed: 3, trained: [{ event: "start" }], played: undefined };
  const table = tableOf([risen, fallen, stopped, { world: "form", seed: 1, arm: "opid" }]);
  expect(table).toContain("| tickets, opid | 2 of 3 | 1 | 1 | 1 |\n");
  expect(table).toContain("| form | 1 | opid | not reached |");
  expect(table).toContain("| form, opid | 0 of 1 | 0 | 0 | 0 |\n");
});
