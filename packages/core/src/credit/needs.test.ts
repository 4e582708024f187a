import { expect, test } from "vitest";
import { batchFromJson } from "./batch-json.ts";
import { answers } from "./examples.ts";
import { fieldsRead, needs, needText, requireNeeds, type Need } from "./needs.ts";

test("every need says what it is, and names a field", () => {
  for (const need of Object.keys(needs) as Need[]) expect(needText(need)).toMatch(/^[a-z].{10,}[^.]$/);
  expect(needText("oldLogprobs")).toBe(
    "log-probabilities of the response's tokens: under the policy before the update",
  );
  expect(needText("cutValues")).toContain("scores of continuations from prefixes of the response");
});

test("what is missing is named with its row; a second field that goes with it too", () => {
  const batch = batchFromJson(answers([1, 0], [{ signals: { calls: [], goldCalls: [] } }, { signals: { calls: [] } }]));
  expect(() => requireNeeds(["toolCalls"], batch, "MatchTIR")).toThrow(
    /^MatchTIR needs the tool calls of the row.* Row 1 \(trajectory "r1", step 0\) has no "signals.goldCalls"\./,
  );
  expect(() => requireNeeds(["states"], batch, "GiGPO")).toThrow(/Row 0 .* has no "state"/);
});

test("rows that say why they lack it are let through", () => {
  const batch = batchFromJson(
    answers([1, 0], [{ gold: null }, { signals: { answerLogprob: { before: -1, after: 0 } } }]),
  );
  requireNeeds(["answerLogprob", "success", "branches", "withoutObservation"], batch, "IGPO");
  const silent = batchFromJson(answers([1]));
  expect(() => requireNeeds(["answerLogprob"], silent, "IGPO")).toThrow(/say gold: null/);
});

test("what is read along with a need is checked with it", () => {
  expect([...fieldsRead(["actionValues", "states"])]).toEqual(["signals.actionValue", "signals.legalValues", "state"]);
});
