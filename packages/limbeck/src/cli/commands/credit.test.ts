import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { credits } from "limbeck-core/credit/registry";

const gigpo = credits.gigpo.example.batch as { rows: Record<string, unknown>[]; trajectories: Record<string, unknown> };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-credit-"));
  await writeFile(join(folder, "batch.json"), JSON.stringify(gigpo));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (...words: readonly string[]) => limbeck(["credit", ...words], { cwd: folder });
/** Runs GiGPO on standard input. */
const feed = (input: string, ...words: readonly string[]) =>
  limbeck(["credit", "--method", "gigpo", "--in", "-", ...words], { input });
/** The example with some fields of its second row changed. */
const changed = (fields: Record<string, unknown>) =>
  JSON.stringify({ ...gigpo, rows: gigpo.rows.map((row, at) => (at === 1 ? { ...row, ...fields } : row)) });

test("prints advantages, terms and metrics as one object", async () => {
  const { code, objects } = await run("--method", "gigpo", "--in", "batch.json", "--json");
  expect(code).toBe(0);
  const [result] = objects();
  expect(Object.keys(result!)).toEqual(["method", "advantages", "terms", "metrics"]);
  expect(result).toMatchObject({
    method: "gigpo",
    advantages: [[0.975], [0.5], [-0.975], [-0.5]],
    terms: {
      episode: { weight: 1, values: [[0.5], [0.5], [-0.5], [-0.5]] },
      step: { weight: 1, values: [[0.475], [0], [-0.475], [0]] },
    },
    metrics: { rows: 4, trajectories: 2, stateGroups: 3 },
  });
});

test("options come through --set", async () => {
  const { objects } = await feed(
    JSON.stringify(gigpo),
    "--set",
    "stepAdvantageWeight=2",
    "--set",
    "gamma=0.5",
    "--json",
  );
  expect(objects()[0]!["advantages"]).toEqual([[1], [0.5], [-1], [-0.5]]);
});

test("what the batch lacks is named, and who supplies it in a training", async () => {
  const { code, err } = await run("--method", "remax", "--in", "batch.json");
  expect(code).toBe(3);
  const text = err.replaceAll(/\s+/g, " ");
  expect(text).toContain('Row 0 (trajectory "X", step 0) has no "greedyScore"');
  expect(text).toContain("comes from the provider greedy-rollout");
});

test("a person gets a table", async () => {
  const { out } = await run("--method", "gigpo", "--in", "batch.json");
  expect(out).toContain("trajectory  step  episode    step  advantage");
  expect(out).toContain("4 rows, 2 trajectories, 1 task, 4 trained tokens");
});

test("rollouts of a trainer: attempts at one prompt are a group, and a step counts as one token", async () => {
  const rows = [1, 0, 0.5].map((score) => ({ input: "2 + 2", output: `${score}`, gts: "4", score, step: 1 }));
  await writeFile(join(folder, "rollouts.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
  const { code, objects } = await run("--method", "grpo", "--in", "rollouts.jsonl", "--json");
  // Mean 0.5, deviation 0.5: 1, -1 and 0.
  expect(code).toBe(0);
  const given = objects()[0]!["advantages"] as number[][];
  expect(given.map(([value]) => value?.toFixed(4))).toEqual(["1.0000", "-1.0000", "0.0000"]);
  await writeFile(join(folder, "unpaid.jsonl"), JSON.stringify({ ...rows[0], score: null }));
  expect(await run("--method", "grpo", "--in", "unpaid.jsonl")).toMatchObject({ code: 3 });
});

test("prints the schema", async () => {
  const { code, objects } = await run("--schema", "--json");
  expect([code, objects()[0]!["type"]]).toEqual([0, "object"]);
});

describe("wrong usage ends with 2 and names what is wrong", () => {
  test.each([
    [["--in", "batch.json"], "Which method? Give --method; limbeck methods lists them."],
    [["--method", "gigpo"], "Which file? Give --in; limbeck explain NAME --json has an example batch."],
    [["--method", "gigpoo", "--in", "batch.json"], 'Did you mean "gigpo"?'],
    [
      ["--method", "gigpo", "--in", "batch.json", "--set", "gama=1"],
      'No option of gigpo "gama". Did you mean "gamma"?',
    ],
    [["--method", "gigpo", "--in", "batch.json", "--set", "gamma=2"], "it takes a number at least 0, at most 1."],
    [["--method", "gigpo", "--in", "batch.json", "--set", "gamma="], "it takes a number at least 0, at most 1."],
    [["--method", "gigpo", "--in", "batch.json", "--set", "mode=std"], "it takes mean_norm or mean_std_norm."],
    [["--method", "gigpo", "--in", "batch.json", "--set", "countTrajectoryOnce=1"], "it takes true or false."],
    [["--method", "gigpo", "--in", "batch.json", "--set", "gamma"], `--set takes NAME=VALUE, not "gamma".`],
  ])("%j", async (words, message) => {
    const { code, err } = await run(...words);
    expect(err.replaceAll(/\s+/g, " ")).toContain(message);
    expect(code).toBe(2);
  });
});

describe("a bad batch ends with 3 and names row and field", () => {
  test.each([
    ["a ragged mask", { mask: [1, 2] }, 'Row 1 (trajectory "X", step 1), field "mask[1]": is 2'],
    ["no mask", { mask: undefined }, 'Row 1 (trajectory "X", step 1), field "mask": is missing'],
    [
      "ragged log-probabilities",
      { mask: [1, 1, 0], logprobs: { old: [0] } },
      'field "logprobs.old": has 1 values; the mask has 3 tokens, 2 of them trained.',
    ],
    ["text for a number", { reward: "1" }, 'field "reward": is "1"'],
    [
      "a hole in the steps",
      { step: 2 },
      'Row 1 (trajectory "X", step 2), field "step": is 2; its trajectory has 2 rows, so they must be 0 to 1, without holes.',
    ],
    ["a step twice", { step: 0 }, 'Row 1 (trajectory "X", step 0), field "step": is 0, which row 0 has already.'],
    [
      "a trajectory without outcome",
      { trajectory: "W", step: 0 },
      'Row 1 (trajectory "W", step 0), field "trajectory": has no outcome',
    ],
    [
      "two tasks in one trajectory",
      { task: "other" },
      'Row 1 (trajectory "X", step 1), field "task": is "other", but its trajectory began with another task.',
    ],
    [
      "an unknown parent",
      { parent: { trajectory: "W", step: 0 } },
      'Row 1 (trajectory "X", step 1), field "parent": names trajectory "W", which is not in the batch.',
    ],
    [
      "a parent without that step",
      { parent: { trajectory: "Y", step: 7 } },
      'field "parent": names step 7 of trajectory "Y"',
    ],
    [
      "a need that is not met",
      { state: undefined },
      'GiGPO needs the state each step started from, so that equal states can be compared. Row 1 (trajectory "X", step 1) has no "state".',
    ],
    [
      "turns that overlap",
      {
        mask: [1, 1],
        turns: [
          { start: 0, end: 2 },
          { start: 1, end: 2 },
        ],
      },
      'field "turns[1]": is 1 to 2',
    ],
  ])("%s", async (_, fields, message) => {
    const { code, err } = await feed(changed(fields));
    expect(err.replaceAll(/\s+/g, " ")).toContain(message);
    expect(code).toBe(3);
  });

  test("bare NaN and Infinity, as Python writes them", async () => {
    const text = changed({ reward: 77 });
    for (const word of ["NaN", "Infinity", "-Infinity"]) {
      const { code, err } = await feed(text.replace("77", word));
      expect(err.replaceAll(/\s+/g, " ")).toContain(`Row 1 (trajectory "X", step 1), field "reward": is "${word}"`);
      expect(code).toBe(3);
    }
    const { err } = await feed(text.replace("77", "1e999"));
    expect(err.replaceAll(/\s+/g, " ")).toContain('Row 1 (trajectory "X", step 1), field "reward": is');
    const outcome = await feed(JSON.stringify(gigpo).replace('"outcome":1', '"outcome":NaN'));
    expect(outcome.err.replaceAll(/\s+/g, " ")).toContain('Trajectory "X", field "outcome": is "NaN"');
  });

  test("parents in a circle", async () => {
    const rows = gigpo.rows.map((row) => ({ ...row, parent: row["trajectory"] === "X" ? "Y" : "X" }));
    const { code, err } = await feed(JSON.stringify({ ...gigpo, rows }));
    expect(err.replaceAll(/\s+/g, " ")).toContain('Row 0 (trajectory "X", step 0), field "parent": forms a cycle');
    expect(code).toBe(3);
  });

  test("what is not JSON, not a batch, or not there", async () => {
    expect((await feed("{")).err).toContain("The batch is not JSON.");
    expect((await feed("[]")).err).toContain('The batch, field "rows"');
    expect(await run("--method", "grpo", "--in", "none.json")).toMatchObject({ code: 3 });
  });

  test("hostile names never reach the terminal raw", async () => {
    const { err } = await feed(changed({ trajectory: "\u001b[31mW", step: 0 }));
    expect(err).not.toContain("\u001b");
  });
});
