/** What is spent is what passed through a model or a world, whoever asked; and everybody who acts plays by the same rules. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eastward } from "../../../../test/support/provider-bench.ts";
import { evenTokens, smallPlan } from "../../../../test/support/small-training.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import type { OptionValue } from "limbeck-base/base/option-table";
import { createCorridor } from "limbeck-core/env/corridor";
import type { RecipeId } from "limbeck-core/recipe/registry";
import type { EvaluationEvent, Spent, TrainEvent } from "./events.ts";
import type { TrainOptions } from "./options.ts";
import { train } from "./train.ts";

let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "limbeck-account-"));
  await writeTinyModel(join(root, "tiny"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

let runs = 0;

async function events(
  recipe: RecipeId,
  given: Readonly<Record<string, OptionValue>>,
  more: Partial<TrainOptions<RecipeId, string>> = {},
): Promise<readonly TrainEvent[]> {
  const said: TrainEvent[] = [];
  runs += 1;
  await train({
    ...smallPlan({
      recipe,
      given: { tasks: 2, group: 2, answerTokens: 6, learningRate: 0.01, ...given },
      env: createCorridor({ rooms: 3, maxSteps: 4 }),
      envName: "corridor",
      demonstrator: eastward,
      model: join(root, "tiny"),
      dir: join(root, String(runs)),
      steps: 1,
      rewardAll: evenTokens,
      onEvent: (event) => said.push(event),
    }),
    ...more,
  });
  return said;
}

async function spent(recipe: RecipeId, given: Readonly<Record<string, OptionValue>>): Promise<Spent> {
  const update = (await events(recipe, given)).find((event) => event.kind === "update");
  return (update as Extract<TrainEvent, { kind: "update" }>).spent;
}

test("the reference's pass over the rows is booked", async () => {
  const [without, held] = [await spent("grpo", {}), await spent("grpo", { klWeight: 0.1 })];
  expect(held.sampledTokens).toBe(without.sampledTokens);
  expect(held.modelTokens).toBeGreaterThan(without.modelTokens);
});

test("an oracle's way through the world is booked: two steps east in each of two tasks", async () => {
  const plain = await spent("opid", { form: "shift" });
  const oracle = await spent("opid", { form: "shift", skillControl: "oracle" });
  expect(oracle.environmentSteps - plain.environmentSteps).toBe(2 * 2);
});

test("the guard's probe plays as long as the training lets episodes last, and what it takes is booked", async () => {
  const said = await events(
    "opid",
    { form: "shift", maxSteps: 1 },
    { validation: { every: 1, tasks: 2, split: "valid" }, steps: 2 },
  );
  const probes = said.filter((event): event is EvaluationEvent => (event.kind as string) === "probe");
  expect(probes.map(({ evaluation }) => evaluation.meanSteps)).toEqual([1]);
  const [first, second] = said.filter((event) => event.kind === "update");
  // Four episodes of one step in each update; between them the probe's own, one for each task with a skill.
  expect(second?.spent.environmentSteps).toBe(
    (first?.spent.environmentSteps ?? 0) + (probes[0]?.evaluation.tasks ?? 0) + 4,
  );
});
