import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { REWARD_PLAN, SHORT_EPISODES } from "../../../../../test/support/small-command-lines.ts";
import { workplace } from "../../../../../test/support/workplace.ts";

const { folder, run } = workplace({ model: "start" });
beforeAll(() => writeFile(join(folder(), "rewards.yaml"), REWARD_PLAN));
const TRAIN =
  "train --recipe grpo --env countdown --model start --threads 1 --report-tasks 1 --validate-every 0 --steps 1".split(
    " ",
  );
const train = (words: readonly string[]) => run([...TRAIN, ...SHORT_EPISODES, ...words]);

test("--rewards FILE: a plan with weights and screens, shown by part and stored by name", async () => {
  const { code, objects, err } = await train(["--rewards", "rewards.yaml", "--dir", "runs/plan", "--json"]);
  expect([code, err]).toEqual([0, ""]);
  const update = objects().find(({ event }) => event === "update") as { metrics: Record<string, number> };
  const { metrics } = update;
  expect(metrics["reward/components"]).toBeCloseTo(
    (metrics["reward/outcome"] as number) + 0.5 * (metrics["reward/form"] as number),
    12,
  );
  expect(metrics).toHaveProperty("reward/form.valid");
  const names = await run(["sql", "select distinct name from rewards where run = 'plan' order by name", "--json"]);
  expect(names.out).toContain('"form.valid"');
  const other = await train(["--reward", "trace", "--dir", "runs/plan", "--resume"]);
  expect([other.code, other.err]).toEqual([2, expect.stringContaining("other rewards than it was started with")]);
});

test("--reward NAME with its options, and the same in the file of --config", async () => {
  const named = await train(["--reward", "format", "--reward-set", "everyStep=true", "--dir", "runs/named", "--json"]);
  expect(named.code).toBe(0);
  const update = named.objects().find(({ event }) => event === "update");
  expect(update).toMatchObject({ reward: 0, metrics: { "reward/format": 0 } });
  await writeFile(join(folder(), "config.json"), JSON.stringify({ reward: { rewards: [{ use: "trace" }] } }));
  const file = await train(["--config", "config.json", "--dir", "runs/file", "--json"]);
  expect(file.objects().find(({ event }) => event === "update")?.["metrics"]).toHaveProperty("reward/trace");
});

test.each([
  [["--reward", "outcom"], 2, 'Did you mean "outcome"?'],
  [["--reward", "outcome", "--rewards", "rewards.yaml"], 2, "leave one of them out"],
  [["--reward-set", "a=1"], 2, "--reward-set is for --reward NAME"],
  [["--rewards", "none.json"], 3, "Cannot read the plan of rewards"],
  [["--reward", "progress"], 3, "a potential of states"],
])("refused with the way out: %j", async (words, code, message) => {
  const { err, code: got } = await train([...words, "--dir", "runs/refused"]);
  expect(err).toContain(message);
  expect(got).toBe(code);
});

test("--schema tells of rewards, and an arena varies them", async () => {
  const { out } = await run(["train", "--recipe", "grpo", "--schema"]);
  expect(JSON.parse(out)).toMatchObject({
    properties: { reward: { anyOf: [{ enum: expect.anything() as unknown }, {}] } },
  });
  const words = "arena --recipes grpo --vary reward=outcome,trace --seeds 1 --model start --dry-run --json".split(" ");
  const plan = await run(words);
  expect(plan.objects()[0]).toMatchObject({ arms: ["grpo+reward=outcome", "grpo+reward=trace"] });
  const wrong = await run("arena --recipes grpo --vary reward=outcom --seeds 1 --model start --dry-run".split(" "));
  expect(wrong.err).toContain('Did you mean "outcome"?');
});
