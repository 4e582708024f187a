import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck, type FakeOptions } from "../../../test/support/fake-io.ts";
import { writeTinyModel } from "../../../test/support/tiny-folder.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-train-rewards-"));
  await writeTinyModel(join(folder, "start"), 1, 1_024);
  await writeFile(
    join(folder, "rewards.yaml"),
    [
      "rewards:",
      "  - { use: outcome, weight: 1 }",
      "  - { use: format, as: form, weight: 0.5, options: { tags: [] } }",
      "screens:",
      "  constant-scores: false",
    ].join("\n"),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (words: readonly string[], options: FakeOptions = {}) => limbeck(words, { cwd: folder, ...options });

test("rollout and eval --rewards FILE: what is played is stored with those rewards", async () => {
  const world = ["--env", "household", "--env-set", "dial=tiny", "--policy", "expert", "--rewards", "rewards.yaml"];
  const rolled = await run(["rollout", ...world, "--count", "2", "--group", "1", "--run", "rolled", "--json"]);
  const judged = await run(["eval", ...world, "--tasks", "2", "--into", "judged", "--json"]);
  expect([rolled.code, rolled.err, judged.code, judged.err]).toEqual([0, "", 0, ""]);
  // The expert solves both, for which the world pays 10; the form is the plan's own.
  const rewards = (name: string) =>
    `select avg(value) filter (name = 'outcome') v, count(distinct trajectory) filter (name = 'form') n from rewards where run = '${name}'`;
  for (const name of ["rolled", "judged"]) {
    expect((await run(["sql", rewards(name), "--json"])).objects()).toEqual([{ v: 10, n: 2 }]);
  }
  const words = [
    "rollout",
    ...world,
    "--count",
    "1",
    "--group",
    "1",
    "--run",
    "rolled",
    "--resume",
    "--reward",
    "trace",
  ];
  expect((await run(words)).err).toContain("leave one of them out");
  const other = words.filter((word) => !word.startsWith("--rewards") && word !== "rewards.yaml");
  expect(await run(other)).toMatchObject({ code: 2, err: expect.stringContaining("reward") as unknown });
  const looked = await run(["eval", "--run", "judged", "--rewards", "rewards.yaml"]);
  expect(looked.err).toContain("--rewards belongs to --env ID, which plays");
  const fleet = await run(["rollout", ...world, "--fleet", "redis://127.0.0.1:1"]);
  expect(fleet.err).toContain("--rewards is for rollouts of one process");
});
