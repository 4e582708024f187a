import { describe, expect, test } from "vitest";
import { createCorridor } from "../env/corridor.ts";
import { plainDialect } from "limbeck-policy/policy/tabular/script-tokenizer";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import { plainForm } from "../walk/mind/action-form.ts";
import type { Agent } from "../walk/mind/agent.ts";
import { createStrategy } from "./registry.ts";
import { partial } from "./partial.ts";
import type { Prompting } from "../walk/mind/prompter.ts";
import { rollOut, type RollOutOptions } from "../walk/line/roll-out.ts";
import { strategyContract } from "./strategy.contract.ts";
import { createTokenAgent } from "../walk/mind/token-agent.ts";

const options = { size: 2, target: 0.5, cut: "token", tick: 3, onlyMixed: false } as const;
strategyContract({ name: "partial in answers", create: () => partial.create(options), runner: { describe, test } });
strategyContract({
  name: "partial between steps",
  create: () => partial.create({ ...options, cut: "step" }),
  runner: { describe, test },
});

// A corridor of two rooms: the first answer ends the episode. An answer is so many bytes and its end, then it is "go east".
const prompting: Prompting = (task) => ({
  show: ({ observation }) => ({
    message: { kind: "fresh", text: `${task.id} ${observation}`, base: observation },
    next: prompting(task, plainForm),
  }),
  hear: () => ({ decision: { action: "go east", readable: true }, next: prompting(task, plainForm) }),
});
const agentOf = (lengths: Readonly<Record<string, number>>, version: number) => {
  const policy = createScriptedPolicy({
    version,
    // What was said of the answer already stands behind the observation.
    script: ({ text }) => {
      const [before, begun = ""] = text.split("Room 1.");
      return "x".repeat((lengths[before?.trim() ?? ""] ?? 0) - begun.length);
    },
  });
  return createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer), prompting, answerTokens: 5_000 });
};

const task = (id: string): Task => ({ id, env: "corridor", seed: 0, goal: "Reach room 2.", split: "train" });
const roll = (more: Pick<RollOutOptions, "strategy" | "tasks" | "agent"> & Partial<RollOutOptions>) =>
  rollOut({ env: createCorridor({ rooms: 2 }), seed: 1, episode: { tokens: 1_000 }, ...more });
const tokensOf = ({ streams }: Trajectory): number =>
  streams.reduce((total, { mask }) => total + mask.reduce((sum, one) => sum + one, 0), 0);

// The worked example of APRIL: three in flight, two wanted. In rounds of 60 tokens b (81 with its end) and c (111) are
// over in the second round, when a has said 120. It goes on first next time, with 1000 - 120 = 880 tokens left.
const lengths = { a: 2_000, b: 80, c: 110, d: 10, e: 10, f: 10 };

test("enough groups end a rollout; the others go on first in the next, within what is left of their tokens", async () => {
  const strategy = createStrategy("partial", { size: 1, target: 0.6, tick: 60 });
  const first = await roll({ strategy, agent: agentOf(lengths, 1), tasks: ["a", "b", "c"].map(task) });
  expect(first.trajectories.map(({ id }) => id)).toEqual(["b/0", "c/0"]);
  expect(first.spent.sampledTokens).toBe(81 + 111 + 120);
  // Who waits for all waits for the 1000 tokens that a may say, in the place of 120.
  const waiting = createStrategy("partial", { size: 1, target: 1, tick: 60 });
  const whole = await roll({ strategy: waiting, agent: agentOf(lengths, 1), tasks: ["a", "b", "c"].map(task) });
  expect(whole.trajectories.map(({ id }) => id).toSorted()).toEqual(["a/0", "b/0", "c/0"]);
  expect(whole.spent.sampledTokens).toBe(81 + 111 + 1_000);

  const next = await roll({ strategy, agent: agentOf(lengths, 2), tasks: ["d", "e", "f"].map(task), prefix: "2/" });
  // a stays in flight with two new ones; those are complete first, so it is kept again, with 180 tokens.
  expect(next.trajectories.map(({ id }) => id)).toEqual(["2/d/0", "2/e/0"]);

  const last = await roll({ strategy, agent: agentOf(lengths, 3), tasks: [task("g")], prefix: "3/" });
  const [a] = last.trajectories as [Trajectory];
  expect(a.id).toBe("a/0");
  expect(a).toMatchObject({ ending: "truncated", info: { partial: { begun: 1, resumed: 3 }, stopped: "tokens" } });
  expect(tokensOf(a)).toBe(1_000);
  // 120 tokens are of version 1, 60 of version 2, the rest of version 3; none was thrown away or said twice.
  const versions = [...(a.streams[0]?.versions ?? [])].filter((_, at) => a.streams[0]?.mask[at] === 1);
  expect([1, 2, 3].map((version) => versions.filter((one) => one === version).length)).toEqual([120, 60, 820]);
  expect(last.spent.sampledTokens).toBe(820);
});

test("an episode whose tokens are used up is truncated without saying more", async () => {
  const strategy = createStrategy("partial", { size: 1, target: 0.5, tick: 1_000 });
  await roll({ strategy, agent: agentOf(lengths, 1), tasks: [task("a"), task("b")], episode: { tokens: 4_000 } });
  const next = await roll({ strategy, agent: agentOf(lengths, 2), tasks: [task("d")], prefix: "2/" });
  expect(next.trajectories.map(({ id, ending }) => [id, ending])).toEqual([["a/0", "truncated"]]);
  expect(next.spent.sampledTokens).toBe(0);
});

test("members of a group are given together, in the rollout in which the last is over", async () => {
  const run = async (through: (state: ReturnType<typeof JSON.parse>) => unknown) => {
    const found: string[][] = [];
    let strategy = createStrategy("partial", { size: 2, target: 0.5, tick: 40 });
    const seen = new Set<string>();
    for (let update = 0; update < 4; update += 1) {
      const policy = createScriptedPolicy({
        script: () => [
          { text: "x".repeat(20), probability: 0.5 },
          { text: "x".repeat(30), probability: 0.5 },
        ],
      });
      const agent = createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer), prompting, answerTokens: 24 });
      const tasks = ["a", "b", "c", "d"].map((name) => task(`${name}${update}`));
      const env = createCorridor({ rooms: 4 });
      const { trajectories } = await rollOut({ env, agent, strategy, tasks, seed: update, prefix: `${update}/` });
      found.push(trajectories.map(({ id }) => id));
      for (const { id, group } of trajectories) {
        expect(seen).not.toContain(id);
        seen.add(id);
        expect(trajectories.filter((other) => other.group === group)).toHaveLength(2);
      }
      const saved = strategy.save?.() ?? {};
      strategy = createStrategy("partial", { size: 2, target: 0.5, tick: 40 });
      strategy.load?.(through(saved) as typeof saved);
    }
    return found;
  };
  const kept = await run((state) => state);
  expect(await run((state) => JSON.parse(JSON.stringify(state)))).toEqual(kept);
});

test("an agent that cannot go on with an episode is refused before any work", async () => {
  const whole = agentOf(lengths, 1);
  const agent: Agent = { ref: whole.ref, exact: true, answerTokens: 9, begin: (...given) => whole.begin(...given) };
  const strategy = createStrategy("partial");
  await expect(roll({ strategy, agent, tasks: [task("a")] })).rejects.toMatchObject({ code: "cannot-resume" });
});

test.each([1, 5, 9, 14])("given up after %i steps it keeps what it had begun, and goes on with it", async (steps) => {
  const stop = new AbortController();
  const strategy = createStrategy("partial", { size: 2, target: 1, tick: 3 });
  const ground = createCheckGround({ jumbled: true, onStep: (taken) => taken >= steps && stop.abort() });
  const tasks = [...(ground.env.tasks("train", { count: 3 }) as Iterable<Task>)];
  const stored: Trajectory[] = [];
  const sink = { append: async (trajectory: Trajectory) => void stored.push(trajectory) };
  const given = { ...ground, strategy, tasks, seed: 1, sink };
  await expect(rollOut({ ...given, signal: stop.signal })).rejects.toMatchObject({ code: "cancelled" });
  const kept = strategy.kept?.() ?? { groups: 0, tokens: 0 };
  expect(kept.groups).toBeGreaterThan(0);
  // All that was sampled is in whole groups that are stored, or in those that are kept.
  expect(stored.reduce((total, one) => total + tokensOf(one), 0) + kept.tokens).toBe(ground.counts.sampledTokens);
  await rollOut(given);
  expect(strategy.kept?.()).toEqual({ groups: 0, tokens: 0 });
  expect(stored.flatMap(({ failure }) => failure ?? [])).toEqual([]);
  expect(stored.map(({ id }) => id).toSorted()).toEqual(tasks.flatMap(({ id }) => [`${id}/0`, `${id}/1`]).toSorted());
  expect(stored.reduce((total, one) => total + tokensOf(one), 0)).toBe(ground.counts.sampledTokens);
});

test("a kept episode that is lost while its group still waits is stored once, with its group", async () => {
  const stop = new AbortController();
  const strategy = createStrategy("partial", { size: 2, target: 1, tick: 3 });
  const ground = createCheckGround({ onStep: (taken) => taken >= 4 && stop.abort() });
  const tasks = [...(ground.env.tasks("train", { count: 1 }) as Iterable<Task>)];
  const stored: Trajectory[] = [];
  const sink = { append: async (trajectory: Trajectory) => void stored.push(trajectory) };
  const given = { ...ground, strategy, tasks, seed: 1, sink, concurrency: 1 };
  await expect(rollOut({ ...given, signal: stop.signal })).rejects.toMatchObject({ code: "cancelled" });
  interface Saved {
    readonly kept: readonly {
      readonly members: readonly { readonly trajectory: { readonly steps: readonly unknown[] } }[];
    }[];
  }
  const { kept } = (strategy.save?.() ?? { kept: [] }) as unknown as Saved;
  const [first] = kept[0]?.members ?? [];
  // The first world cannot be opened again, and what its replay costs is all there is: the second cannot be paid.
  let opened = 0;
  const env = {
    ...ground.env,
    open: (...given: Parameters<typeof ground.env.open>) => {
      opened += 1;
      return opened === 1 ? Promise.reject(new Error("The door is stuck.")) : ground.env.open(...given);
    },
  };
  await rollOut({ ...given, env, attempts: 1, budget: { envSteps: first?.trajectory.steps.length ?? 0 } });
  expect(stored).toEqual([]);
  await rollOut(given);
  expect(new Map(stored.map(({ id, failure }) => [id, failure?.message]))).toEqual(
    new Map([
      [`${tasks[0]?.id}/1`, undefined],
      [
        `${tasks[0]?.id}/0`,
        'The world "corridor" failed in open of task "corridor-train-0": Error: The door is stuck.',
      ],
    ]),
  );
  expect(stored).toHaveLength(2);
});
