import { expect, test } from "vitest";
import { createCorridor } from "../env/corridor.ts";
import { plainDialect } from "limbeck-policy/policy/tabular/script-tokenizer";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import { createStrategy } from "./registry.ts";
import type { Reflector } from "../walk/judge.ts";
import { retryWorth } from "./retry.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { createTokenAgent } from "../walk/mind/token-agent.ts";

async function roll(reflector: Reflector, options: Readonly<Record<string, unknown>> = {}) {
  const { env, agent } = createCheckGround();
  const tasks = [...(env.tasks("train", { count: 4 }) as Iterable<Task>)];
  const strategy = createStrategy("retry", options);
  return await rollOut({ env, agent, strategy, tasks, seed: 3, reflector, episode: { steps: 5 } });
}

const retries = (trajectories: readonly Trajectory[]) => trajectories.filter(({ parent }) => parent !== undefined);
const attempts = (trajectories: readonly Trajectory[]) => trajectories.filter(({ parent }) => parent === undefined);

test("a retry is worth imitating when it succeeds fully and does better, or as well in fewer steps", () => {
  const failed = { reward: 0, steps: 9 };
  expect(retryWorth(failed, { reward: 1, steps: 12 }, 1)).toBe(1);
  expect(retryWorth({ reward: 1, steps: 9 }, { reward: 1, steps: 8 }, 1)).toBe(1);
  expect(retryWorth({ reward: 1, steps: 9 }, { reward: 1, steps: 9 }, 1)).toBe(0);
  expect(retryWorth(failed, { reward: 0.9, steps: 2 }, 1)).toBe(0);
});

test("failed attempts are begun again at their pivot, with the guidance in the message; the prefix is stored once", async () => {
  const { trajectories } = await roll(() => Promise.resolve({ step: 2, guidance: "go east" }));
  expect(attempts(trajectories)).toHaveLength(16);
  const failed = attempts(trajectories).filter(({ success }) => success === false);
  const again = retries(trajectories);
  expect(failed.length).toBeGreaterThan(3);
  expect(again.map(({ parent }) => parent?.trajectory)).toEqual(failed.map(({ id }) => id));
  for (const { parent, steps, info } of again) {
    expect(parent).toMatchObject({ step: 2 });
    expect(steps[0]).toMatchObject({ index: 2 });
    expect(steps[0]?.prompt).toBe(`${steps[0]?.basePrompt}\n\ngo east`);
    expect(info?.["guidance"]).toBe("go east");
  }
  for (const { success, info } of again) {
    expect(info?.["retry"]).toEqual({ pivot: 2, improved: success, worth: success === true ? 1 : 0 });
  }
});

test.each([
  ["no such step", () => Promise.resolve({ step: 99, guidance: "go east" })],
  ["no whole number", () => Promise.resolve({ step: 0.5, guidance: "go east" })],
  ["no text", () => Promise.resolve({ step: 1, guidance: "" })],
  ["nothing to say", () => Promise.resolve(undefined)],
  ["a reflector that fails", () => Promise.reject(new Error("out of order"))],
] satisfies [string, Reflector][])("%s: an ordinary rollout", async (_, reflector) => {
  const { trajectories } = await roll(reflector);
  expect(trajectories).toHaveLength(16);
  const failed = trajectories.filter(({ success }) => success === false);
  expect(failed.map(({ info }) => info?.["retry"])).toEqual(failed.map(() => ({ pivot: null })));
});

test("retry: all looks back at successes too, and an odd size has one attempt more", async () => {
  const { trajectories } = await roll(() => Promise.resolve({ step: 0, guidance: "go east" }), {
    retry: "all",
    size: 5,
  });
  expect(attempts(trajectories)).toHaveLength(12);
  expect(retries(trajectories)).toHaveLength(8);
});

test("tries: several retries of one attempt, from the same pivot and with the same guidance", async () => {
  const { trajectories } = await roll(() => Promise.resolve({ step: 0, guidance: "go east" }), {
    retry: "all",
    size: 6,
    tries: 2,
  });
  // Of 6 rollouts 2 are attempts, each with 2 retries; 4 tasks.
  expect(attempts(trajectories)).toHaveLength(8);
  expect(retries(trajectories)).toHaveLength(16);
  expect(new Set(retries(trajectories).map(({ id }) => id)).size).toBe(16);
});

test("a policy that heeds guidance succeeds from the pivot, for the price of the rest of the way only", async () => {
  // In room 4 it turns back unless it was told otherwise, so that it walks between rooms 3 and 4 for ever.
  const policy = createScriptedPolicy({
    script: ({ text, observation }) =>
      observation.startsWith("Room 4.") && !text.includes("Go on") ? "go west" : "go east",
  });
  const agent = createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer) });
  const env = createCorridor({ rooms: 6, maxSteps: 12 });
  const [task] = [...(env.tasks("train") as Iterable<Task>)] as [Task];
  const reflector: Reflector = ({ steps }) =>
    Promise.resolve({ step: steps.findIndex(({ action }) => action === "go west"), guidance: "Go on from room 4." });
  const strategy = createStrategy("retry", { size: 2 });
  const { trajectories, spent } = await rollOut({ env, agent, strategy, tasks: [task], seed: 0, reflector });
  expect(trajectories.map(({ success, steps }) => [success, steps.length])).toEqual([
    [false, 12],
    [true, 2],
  ]);
  // Rooms 4 to 6: two steps, where a fresh episode takes five.
  expect(spent.envSteps).toBe(14);
  expect(trajectories[1]?.info?.["retry"]).toEqual({ pivot: 3, improved: true, worth: 1 });
});
