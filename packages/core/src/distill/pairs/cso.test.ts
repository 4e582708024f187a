import { expect, test } from "vitest";
import {
  certainScript,
  createTableEnv,
  randomWorld,
  reachesEnd,
  TABLE_TASK,
} from "../../../../../test/support/table-world.ts";
import { createTokenAgent, rollOut } from "../../../../../test/support/rollout-door.ts";
import { sampleStep, sampleTrajectory } from "../../../../../test/support/samples.ts";
import { byteTokenizer, plainDialect } from "limbeck-policy/policy/tabular/script-tokenizer";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { scored } from "limbeck-base/trajectory/score";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { findPairs } from "./index.ts";

const at = (index: number, action: string, info?: Step["info"]): Step =>
  sampleStep(index, { observation: `see ${index}`, action, ...(info === undefined ? {} : { info }) });

const run = (id: string, actions: readonly string[], success: boolean, more: Partial<Trajectory> = {}): Trajectory =>
  sampleTrajectory(id, {
    steps: actions.map((action, step) => at((more.parent?.step ?? 0) + step, action)),
    reward: scored(success ? 1 : 0),
    success,
    ...more,
  });

test("a step is kept when another action turned failure into success", () => {
  const failed = run("failed", ["open", "wait", "leave"], false);
  const flipped = run("flipped", ["take", "leave"], true, { parent: { trajectory: "failed", step: 1 } });
  const same = run("same", ["go"], false, { parent: { trajectory: "failed", step: 2 } });
  const pairs = findPairs("cso", [failed, flipped, same]);
  expect(pairs.map(({ chosen, rejected, margin }) => [chosen, rejected, margin])).toEqual([
    [{ trajectory: "flipped", steps: [1] }, { trajectory: "failed", steps: [1] }, 1],
  ]);
});

test("what somebody else went on with proves nothing", () => {
  const failed = run("failed", ["open", "wait"], false);
  const helped = run("helped", ["take", "leave"], true, { parent: { trajectory: "failed", step: 0 } });
  const imposed = { ...helped, steps: [at(0, "take", { source: "expert" }), at(1, "leave", { source: "expert" })] };
  expect(findPairs("cso", [failed, imposed])).toEqual([]);
  // The first action may be an expert's: what counts is who goes on.
  const own = { ...helped, steps: [at(0, "take", { source: "expert" }), at(1, "leave")] };
  expect(findPairs("cso", [failed, own])).toHaveLength(1);
});

test("one continuation that succeeds is enough, unless a share and a control are asked for", () => {
  const failed = run("failed", ["wait", "leave"], false);
  const branch = (id: string, action: string, success: boolean): Trajectory =>
    run(id, [action, "leave"], success, { parent: { trajectory: "failed", step: 0 } });
  // "take": 1 of 3 succeeds. "wait": the failed run alone.
  const weak = [failed, branch("x", "take", true), branch("y", "take", false), branch("z", "take", false)];
  expect(findPairs("cso", weak)[0]?.margin).toBeCloseTo(1 / 3, 12);
  expect(findPairs("cso", weak, { share: 0.5 })).toEqual([]);
  // "take" 2 of 2; "wait" again succeeds once, so 1 of 2: with a control it was chance, not the step.
  const chance = [failed, branch("x", "take", true), branch("y", "take", true), branch("w", "wait", true)];
  expect(findPairs("cso", chance)[0]?.margin).toBe(1);
  expect(findPairs("cso", chance, { share: 0.5, control: true })).toEqual([]);
});

test("in worlds that can be counted out exactly the steps are kept whose alternatives flip the outcome", async () => {
  let kept = 0;
  let tried = 0;
  for (let seed = 0; seed < 40; seed += 1) {
    const { world, choices } = randomWorld(seed);
    const policy = createScriptedPolicy({ script: certainScript(choices) });
    const agent = createTokenAgent({ policy, dialect: plainDialect(byteTokenizer()), answerTokens: 16 });
    const { trajectories } = await rollOut({
      env: createTableEnv(world),
      agent,
      tasks: [TABLE_TASK],
      seed,
      strategy: {
        run: async (scope) => {
          const walk = await scope.open(TABLE_TASK, "run", { bookmarks: true });
          await walk?.advance();
          for (const { index, action, stateKey } of walk?.steps ?? []) {
            for (const other of Object.keys(world.moves[stateKey] ?? {}).filter((one) => one !== action)) {
              const branch = await walk?.branchAt({ step: index }, `${index}-${other}`);
              await branch?.impose(other, "expert");
              await branch?.advance();
            }
          }
        },
      },
    });
    const [root] = trajectories;
    const expected = (root?.success === true ? [] : (root?.steps ?? [])).flatMap(({ index, action, stateKey }) =>
      Object.entries(world.moves[stateKey] ?? {})
        .filter(([other, next]) => other !== action && reachesEnd(world, choices, next, index + 1))
        .map(([other]) => `${index} ${other} > ${action}`),
    );
    const byId = new Map(trajectories.map((one) => [one.id, one]));
    const actionOf = (trajectory: string, step: number | undefined): string | undefined =>
      byId.get(trajectory)?.steps.find(({ index }) => index === step)?.action;
    const found = findPairs("cso", trajectories).map(
      ({ chosen, rejected }) =>
        `${chosen.steps[0]} ${actionOf(chosen.trajectory, chosen.steps[0])} > ${actionOf(rejected.trajectory, rejected.steps[0])}`,
    );
    expect(found.sort()).toEqual(expected.sort());
    kept += found.length;
    tried += trajectories.length - 1;
  }
  // Neither nothing nor everything: the test could not tell otherwise.
  expect(kept).toBeGreaterThan(20);
  expect(kept).toBeLessThan(tried / 2);
});
