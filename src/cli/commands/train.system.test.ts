import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck, type FakeOptions } from "../../../test/support/fake-io.ts";
import { writeTinyModel } from "../../../test/support/tiny-folder.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-train-"));
  await writeTinyModel(join(folder, "start"), 1, 1_024);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (words: readonly string[], options: FakeOptions = {}) => limbeck(words, { cwd: folder, ...options });
const SMALL = ["tasks=2", "group=2", "answerTokens=3", "maxSteps=2"].flatMap((setting) => ["--set", setting]);
const TRAIN =
  "train --model start --threads 1 --report-tasks 2 --validation-tasks 2 --validate-every 1 --checkpoint-every 1".split(
    " ",
  );
const train = (words: readonly string[], options: FakeOptions = {}) => run([...TRAIN, ...SMALL, ...words], options);

test("a run that is there is not overwritten; resumed it goes on, with the same options only", async () => {
  expect((await train(["--recipe", "grpo", "--steps", "1", "--dir", "runs/two"])).code).toBe(0);
  const again = await train(["--recipe", "grpo", "--steps", "1", "--dir", "runs/two"]);
  expect(again.code).toBe(2);
  expect(again.err).toContain("--resume");
  const more = await train(["--recipe", "grpo", "--steps", "2", "--dir", "runs/two", "--resume", "--json"]);
  expect(more.code).toBe(0);
  expect(more.objects()[0]).toMatchObject({ from: 1, updates: 2 });
  const other = await train(["--recipe", "grpo", "--seed", "9", "--steps", "2", "--dir", "runs/two", "--resume"]);
  expect(other.code).toBe(2);
  expect(other.err.replace(/\s+/g, " ")).toContain(
    "The run was started with other settings: seed was 1 and is now 9. Give the same ones",
  );
  const words = ["--recipe", "grpo", "--steps", "2", "--dir", "runs/two", "--resume", "--json"];
  const several = await train([...words, "--set", "group=3", "--set", "klWeight=0.5", "--stop-at", "0.9"]);
  expect(JSON.parse(several.err)).toMatchObject({
    error: {
      code: "other-training",
      details: {
        differing: [
          { name: "settings.group", had: "2", has: "3" },
          { name: "settings.klWeight", had: "0", has: "0.5" },
          { name: "stopAt", had: "null", has: "0.9" },
        ],
      },
    },
  });
  expect((await train(["--resume"])).err).toContain("--dir");
});

test("a credit method gets its providers and strategy by its name, a policy loss by its own", async () => {
  const words = ["--recipe", "grpo", "--credit", "rapo", "--objective", "sapo", "--steps", "1", "--dir", "runs/five"];
  const { code, objects } = await train([...words, "--json"]);
  expect(code).toBe(0);
  const update = objects().find(({ event }) => event === "update") as { metrics: Record<string, number> };
  expect(update.metrics["provider/modelTokens"]).toBeGreaterThan(0);
  const listed = await run([
    "train",
    "--recipe",
    "grpo",
    "--credit",
    "treeps-rag",
    "--objective",
    "sapo",
    "--settings",
    "--json",
  ]);
  const names = listed.objects().map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["objective.tauPositive", "strategy.branches"]));
  const refused = await train(["--recipe", "grpo", "--credit", "matchtir", "--steps", "1", "--dir", "runs/six"]);
  expect(refused.err).toContain("has no tools, so there are no reference calls to match (toolCalls). Use --env tools");
  expect((await train(["--objective", "sapp"])).err).toContain("sapp");
});
