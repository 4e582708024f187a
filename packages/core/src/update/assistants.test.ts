import { expect, test } from "vitest";
import { eastward, threeRooms, walkerDialect } from "../../../../test/support/provider-bench.ts";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { createStrategy } from "../rollout/registry.ts";
import { createTokenAgent } from "../walk/mind/token-agent.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import type { StrategyNeed } from "../walk/line/strategy.ts";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { assistantsOf, type AssistantsRequest } from "./assistants.ts";

/** Always tries to go west, so that every episode fails. */
const agent = createTokenAgent({
  policy: createScriptedPolicy({ script: ({ text }) => (text.includes("Hint") ? "go east" : "go west") }),
  dialect: walkerDialect,
  answerTokens: 16,
});

const request = (needs: readonly StrategyNeed[], more: Partial<AssistantsRequest> = {}): AssistantsRequest => ({
  env: threeRooms(),
  demonstrator: eastward,
  agent,
  needs,
  seed: "s",
  peers: 2,
  episode: undefined,
  ...more,
});

async function play(strategy: string, options: Readonly<Record<string, unknown>>): Promise<readonly Trajectory[]> {
  const made = createStrategy(strategy, options);
  const env = threeRooms();
  const tasks = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  const { trajectories } = await rollOut({
    env,
    agent,
    tasks,
    strategy: made,
    seed: 1,
    ...assistantsOf(request(made.needs)),
  });
  return trajectories;
}

test("the reflector goes back to the first refused step and says what the demonstrator would do", async () => {
  const [attempt, retry] = await play("retry", { size: 2 });
  expect(attempt?.info?.["retry"]).toEqual({ pivot: 0 });
  expect(retry?.parent).toMatchObject({ step: 0 });
  expect(retry?.steps[0]?.prompt).toContain("Hint: [Do this now: go east.]");
  expect(retry?.success).toBe(true);
});

test("a broken rule goes before everything else: the reflector names the step and the rule", async () => {
  const [attempt] = await play("retry", { size: 2 });
  if (attempt === undefined) throw new Error("nothing was played");
  const steps = attempt.steps.map((step, at) =>
    at === 1
      ? { ...step, info: { brokenRules: ["Something was changed without a yes to a message that names it."] } }
      : step,
  );
  const { reflector } = assistantsOf(request(["reflector"]));
  const signal = new AbortController().signal;
  const reflection = await reflector?.({ task: attempt.task, trajectory: attempt, steps }, { signal });
  expect(reflection?.step).toBe(1);
  expect(reflection?.guidance).toContain("Something was changed without a yes");
});

test("the corrector repairs the first wrong step that the judge names", async () => {
  const salvaged = (await play("salvage", { size: 1, leastPrefix: 0, leastShare: 0 })).find(({ parent }) => parent);
  expect(salvaged?.steps[0]).toMatchObject({ action: "go east", info: { source: "corrector" } });
});

test("the pool holds episodes of the same policy", async () => {
  const trajectories = await play("share", { own: 1, others: 1 });
  expect(trajectories.some(({ info }) => info?.["shared"] !== undefined)).toBe(true);
});

test("without a demonstrator, a strategy that needs one is refused by name", () => {
  expect(() => assistantsOf(request(["reflector"], { demonstrator: undefined }))).toThrow(
    'The strategy needs a reflector, and the world "corridor" has no demonstrator',
  );
  expect(Object.keys(assistantsOf(request([], { demonstrator: undefined })))).toEqual([]);
});
