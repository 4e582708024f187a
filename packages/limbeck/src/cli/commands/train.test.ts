import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { FakeOptions } from "../../../../../test/support/fake-io.ts";
import { TRAIN } from "../../../../../test/support/small-command-lines.ts";
import { workplace } from "../../../../../test/support/workplace.ts";

const { folder, run } = workplace({ model: "start" });
/** A few lines, where a household would be hundreds of this tokenizer's bytes. */
const SUMS = ["--env", "countdown"];
const train = (words: readonly string[], options: FakeOptions = {}) => run([...TRAIN, ...words], options);

test("a training whose time is up keeps what is finished, says how to go on, and goes on", async () => {
  let looks = 0;
  const now = (): number => (looks += 1) * 1_000;
  const words = ["--recipe", "grpo", "--steps", "1", "--dir", "runs/timed", "--resume"];
  const cut = await train([...words, "--budget", "seconds=40"], { now });
  expect([cut.code, cut.err]).toEqual([
    1,
    expect.stringContaining("The budget of 40 seconds is spent. No update was finished. Go on with --resume"),
  ]);
  expect((await train([...words, "--budget", "seconds=100000"], { now })).code).toBe(0);
});

test("a file gives options and settings; what the command line says wins; slips are named", async () => {
  const config = { recipe: "rloo", steps: 1, seed: 3, settings: { learningRate: 0.5, tasks: { seed: 4 } } };
  await writeFile(join(folder(), "plan.json"), JSON.stringify(config));
  const { code } = await train([...SUMS, "--config", "plan.json", "--set", "learningRate=0.25", "--dir", "runs/three"]);
  expect(code).toBe(0);
  const { out } = await run(["sql", "select config from runs where id = 'three'", "--json"]);
  const stored = JSON.parse((JSON.parse(out) as { config: string }).config) as Record<string, unknown>;
  expect(stored).toMatchObject({
    recipe: "rloo",
    seed: 3,
    settings: { learningRate: 0.25, tasks: 2, "tasks.seed": 4 },
  });
  await writeFile(join(folder(), "wrong.json"), JSON.stringify({ recipee: "rloo" }));
  for (const [words, what] of [
    [["--config", "wrong.json"], "recipee"],
    [["--config", "nowhere.json"], "nowhere.json"],
    [["--set", "learningrate=1"], "learningRate"],
    [["--set", "teacher=nobody"], "reference"],
    [["--recipe", "opidd"], "opid"],
    [["--credit", "nobody"], "grpo"],
    [["--preset", "none"], "paper"],
    [["--env", "nowhere"], "limbeck envs"],
  ] as const) {
    const failed = await train(words);
    expect([failed.code === 0, failed.err]).toEqual([false, expect.stringContaining(what)]);
  }
});

test("another credit method gets its own settings", async () => {
  const words = [
    ...SUMS,
    "--recipe",
    "grpo",
    "--credit",
    "gigpo",
    "--set",
    "credit.gamma=0.5",
    "--steps",
    "1",
    "--dir",
    "runs/four",
  ];
  expect((await train(words)).code).toBe(0);
  const refused = await train(["--recipe", "grpo", "--set", "credit.gamma=0.5"]);
  expect(refused.err).toContain("credit.gamma");
});

test("the settings are listed with defaults and meanings", async () => {
  const { objects } = await run(["train", "--recipe", "opid", "--settings", "--json"]);
  expect(objects().find(({ name }) => name === "teacher")).toMatchObject({ kind: "choice", default: "reference" });
  const { out } = await run(["train", "--settings"]);
  expect(out).toContain("who scores with the skill");
});

test("the schema of a training holds its options and the settings of the chosen methods", async () => {
  const { objects } = await run(["train", "--recipe", "grpo", "--credit", "gigpo", "--schema", "--json"]);
  const [schema] = objects() as [{ readonly properties: Record<string, { readonly properties?: object }> }];
  expect(schema.properties).toMatchObject({
    recipe: { const: "grpo" },
    credit: { const: "gigpo" },
    strategy: { const: "group" },
    steps: { type: "integer", default: 50 },
    settings: {
      additionalProperties: false,
      properties: {
        group: { type: "integer", default: 8, minimum: 1 },
        "credit.gamma": { type: "number" },
      },
    },
  });
  const { out } = await run(["train", "--recipe", "opid", "--objective", "sapo", "--schema"]);
  const { settings } = (JSON.parse(out) as typeof schema).properties;
  expect(Object.keys(settings?.properties ?? {})).toEqual(
    expect.arrayContaining(["form", "credit.episodeWeight", "objective.aggregation"]),
  );
});
