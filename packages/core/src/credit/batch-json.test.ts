import { expect, test } from "vitest";
import { answers, assign } from "../../../../test/support/credit.ts";
import { prepareBatch } from "./assign.ts";
import { batchFromJson, batchFromText, batchSchema, resultToJson } from "./batch-json.ts";
import { credits } from "./registry.ts";

const row = { task: "t", trajectory: "X", step: 0, mask: [1, 0, 1] };
const trajectories = { X: { outcome: 1, success: true } };

test("arrays go with the mask, or with its ones", () => {
  const read = (old: number[]) => [
    ...batchFromJson({ rows: [{ ...row, logprobs: { old } }], trajectories }).rows[0]!.logprobs!.old!,
  ];
  expect(read([-1, -2, -3])).toEqual([-1, -2, -3]);
  expect(read([-1, -3])).toEqual([-1, 0, -3]);
  expect(() => read([-1])).toThrow(
    /Row 0 .* field "logprobs.old": has 1 values; the mask has 3 tokens, 2 of them trained/,
  );
});

test("valid is true, success unknown and other fields unread unless given", () => {
  const batch = batchFromJson({ rows: [{ ...row, note: "hello" }], trajectories: { X: { outcome: 1 } } });
  expect(batch.rows[0]).toEqual({ ...row, mask: Uint8Array.of(1, 0, 1), valid: true });
  expect(batch.trajectories.get("X")).toEqual({ outcome: 1, success: null });
});

test("a greedy score of the trajectory is that of its rows", () => {
  const batch = batchFromJson({ rows: [row], trajectories: { X: { outcome: 1, greedyScore: 0.25 } } });
  expect(batch.rows[0]!.greedyScore).toBe(0.25);
});

test("ids that are names of an object's parts are plain ids", () => {
  const text = `{"rows": [{"task": "t", "trajectory": "constructor", "step": 0, "mask": [1]}], "trajectories": {"constructor": {"outcome": 2}}}`;
  expect(batchFromText(text).trajectories.get("constructor")!.outcome).toBe(2);
  const other = batchFromText(text.replace('"trajectories": {"constructor"', '"trajectories": {"other"'));
  expect(() => prepareBatch(other)).toThrow(/has no outcome/);
});

test("misspelt log-probabilities are refused", () => {
  expect(() => batchFromJson({ rows: [{ ...row, logprobs: { odl: [0, 0, 0] } }], trajectories })).toThrow(
    /Row 0 .*odl/,
  );
});

test("the text around NaN is left alone", () => {
  const text = `{"rows": [{"task": "NaN \\" NaN", "trajectory": "X", "step": 0, "mask": [1], "reward": NaN}], "trajectories": {"X": {"outcome": 1}}}`;
  expect(() => batchFromText(text)).toThrow(/Row 0 .* field "reward": is "NaN"/);
});

test("the schema names every field", () => {
  const text = JSON.stringify(batchSchema());
  for (const field of ["useStepSkill", "episodeTeacher", "turns", "values", "gold", "path", "parent"])
    expect(text).toContain(`"${field}"`);
});

test("the result is plain JSON: no minus zero, dropped rows and returns only where there are some", () => {
  const json = answers([1, 1]);
  const batch = batchFromJson(json);
  expect(resultToJson("grpo", batch, assign(credits.grpo, json))).toMatchObject({ advantages: [[0], [0]] });
  expect(resultToJson("dapo", batch, assign(credits.dapo, json))["dropped"]).toEqual([0, 1]);
  expect(JSON.stringify(resultToJson("dr-grpo", batch, assign(credits["dr-grpo"], json)))).not.toContain("-0");
});

test("0 and 1 are flags, and null is absent", () => {
  const given = {
    ...row,
    valid: 0,
    useStepSkill: 1,
    truncated: 0,
    parent: null,
    state: null,
    reward: null,
    logprobs: null,
    turns: null,
  };
  const batch = batchFromJson({ rows: [given], trajectories: { X: { outcome: 1, success: 1 } } });
  const expected = { ...row, mask: Uint8Array.of(1, 0, 1), valid: false, useStepSkill: true, truncated: false };
  expect(batch.rows[0]).toEqual(expected);
  expect(batch.trajectories.get("X")!.success).toBe(true);
  expect(() => batchFromJson({ rows: [row], trajectories: { X: { outcome: null } } })).toThrow(
    /Trajectory "X", field "outcome": is null/,
  );
  expect(() => batchFromJson({ rows: [{ ...row, valid: "no" }], trajectories })).toThrow(
    /Row 0 .* field "valid": is "no"/,
  );
});
