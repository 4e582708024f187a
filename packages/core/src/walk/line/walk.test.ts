import { expect, test } from "vitest";
import { createForest, validateForest } from "limbeck-base/trajectory/forest";
import { wholeStreams } from "limbeck-base/trajectory/whole-streams";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../check-ground.ts";
import { rollOut, type RollOutResult } from "./roll-out.ts";
import type { Suspended, Walk } from "./strategy.ts";
import type { Scope } from "../../rollout/strategy.ts";

const [task] = [...(createCheckGround().env.tasks("train", { count: 1 }) as Iterable<Task>)] as [Task];

/** Rolls out one task with a strategy written down in the test. */
async function walked(run: (scope: Scope, trunk: Walk) => Promise<void>, seed = 5): Promise<RollOutResult> {
  const { env, agent, counts } = createCheckGround();
  const strategy = {
    run: async (scope: Scope) => {
      const trunk = await scope.open(task, "trunk");
      if (trunk !== undefined) await run(scope, trunk);
    },
  };
  const result = await rollOut({ env, agent, strategy, tasks: [task], seed });
  expect(validateForest(result.trajectories)).toEqual([]);
  expect([counts.episodes, counts.conversations]).toEqual([0, 0]);
  return result;
}

const whole = (forest: readonly Trajectory[], id: string): number[] => {
  const trajectory = forest.find((one) => one.id.endsWith(id)) as Trajectory;
  return [...(wholeStreams(createForest(forest), trajectory)[0]?.ids ?? [])];
};

test("a stream is the conversation, and spans are the answers in it", async () => {
  const contexts: number[][] = [];
  const { trajectories } = await walked(async (_, trunk) => {
    await trunk.advance();
    contexts.push([...trunk.context()]);
  });
  const [trunk] = trajectories as [Trajectory];
  const [stream] = trunk.streams;
  expect([...(stream?.ids ?? [])]).toEqual(contexts[0]);
  // "Room 1." is the message 0 6 7 1 in the dialect of the ground; the first answer begins after it.
  expect([...(stream?.ids.subarray(0, 4) ?? [])]).toEqual([0, 6, 7, 1]);
  expect(trunk.steps[0]?.span?.start).toBe(4);
  const said = trunk.steps.reduce((total, { span }) => total + (span === undefined ? 0 : span.end - span.start), 0);
  expect(stream?.mask.reduce((total, on) => total + on, 0)).toBe(said);
  expect(trunk.usage?.completionTokens).toBe(said);
  expect(stream?.temperatures?.every((value, at) => value === stream.mask[at])).toBe(true);
});

test("forks at a step and inside an answer hold only their own tokens, and together they are whole", async () => {
  const contexts = new Map<string, number[]>();
  const { trajectories, spent } = await walked(async (scope, trunk) => {
    await trunk.step();
    const early = await trunk.fork("early");
    expect(await trunk.speak(1)).toBe(false);
    expect(trunk.said).toBe(1);
    const inside = await trunk.fork("inside");
    const walks = [trunk, early, inside].filter((walk) => walk !== undefined);
    await scope.together(walks, (walk) => walk.advance());
    for (const walk of walks) contexts.set(walk.id, [...walk.context()]);
  });
  expect(trajectories.map(({ id, parent }) => [id.replace(/.*\//, ""), parent?.step, parent?.token])).toEqual([
    ["trunk", undefined, undefined],
    ["trunk.early", 1, undefined],
    ["trunk.inside", 1, 1],
  ]);
  for (const [id, context] of contexts) expect(whole(trajectories, id)).toEqual(context);
  // Counted where the tokens are: nothing was sampled twice, nothing is stored twice.
  const stored = trajectories
    .flatMap(({ streams }) => streams)
    .reduce((n, { mask }) => n + mask.filter(Boolean).length, 0);
  expect(spent.sampledTokens).toBe(stored);
  expect(spent.reusedTokens).toBe(trajectories.reduce((n, { info }) => n + Number(info?.["sharedTokens"] ?? 0), 0));
});

test("a walk that is over can be branched at any own step and token, by replay or from a bookmark", async () => {
  for (const bookmarks of [false, true]) {
    const { env, agent } = createCheckGround();
    const contexts = new Map<string, number[]>();
    const run = async (scope: Scope): Promise<void> => {
      const trunk = (await scope.open(task, "trunk", { bookmarks })) as Walk;
      await trunk.advance();
      const before = scope.purse.spent.envSteps;
      const second = await trunk.branchAt({ step: 2, token: 1 }, "second");
      // Two actions are replayed, or none.
      expect(scope.purse.spent.envSteps - before).toBe(bookmarks ? 0 : 2);
      await second?.advance();
      const third = await second?.branchAt({ step: 2 }, "third");
      await third?.advance();
      for (const walk of [trunk, second, third]) if (walk !== undefined) contexts.set(walk.id, [...walk.context()]);
      await expect(trunk.branchAt({ step: 99 }, "no")).rejects.toMatchObject({ code: "branch-point" });
      await expect(trunk.branchAt({ step: 0, token: 3 }, "no")).rejects.toThrow("the last one cannot be kept");
    };
    const { trajectories } = await rollOut({ env, agent, strategy: { run }, tasks: [task], seed: 5 });
    expect(validateForest(trajectories)).toEqual([]);
    expect(trajectories.map(({ parent }) => parent?.token)).toEqual([undefined, 1, 0]);
    for (const [id, context] of contexts) expect(whole(trajectories, id)).toEqual(context);
  }
});

test("guidance is in the prompt of one decision and not in the observation", async () => {
  const { trajectories } = await walked(async (_, trunk) => {
    await trunk.advance();
    const guided = await trunk.branchAt({ step: 1, guidance: "go east" }, "guided");
    await guided?.advance();
  });
  const [trunk, guided] = trajectories as [Trajectory, Trajectory];
  const observation = trunk.steps[1]?.observation ?? "";
  expect(guided.steps[0]).toMatchObject({ observation, basePrompt: observation, prompt: `${observation}\n\ngo east` });
  expect(guided.steps[1]?.prompt).toBeUndefined();
  expect(guided.info).toMatchObject({ guidance: "go east", sharedTokens: trunk.steps[0]?.span?.end });
  // The message is written anew: go and east, 3 and 4, stand in it before the answer opens.
  const start = guided.steps[0]?.span?.start ?? 0;
  expect([...(guided.streams[0]?.ids.subarray(start - 3, start) ?? [])]).toEqual([3, 4, 1]);
});

test("an imposed action is carried out, recorded as read and not as said", async () => {
  const { trajectories, spent } = await walked(async (_, trunk) => {
    await trunk.impose("go east", "a friend");
    await trunk.stop("enough");
  });
  const [trunk] = trajectories as [Trajectory];
  expect(trunk.steps[0]).toMatchObject({ action: "go east", valid: true, info: { source: "a friend" } });
  expect(trunk).toMatchObject({ ending: "truncated", reward: { kind: "unscored" }, info: { stopped: "enough" } });
  expect(trunk.streams[0]?.mask.includes(1)).toBe(false);
  expect(spent.sampledTokens).toBe(0);
});

test("a suspended walk goes on in a later rollout with its own tokens", async () => {
  for (const inside of [false, true]) {
    let kept: Suspended | undefined;
    const first = await walked(async (_, trunk) => {
      await trunk.step();
      if (inside) await trunk.speak(1);
      kept = JSON.parse(JSON.stringify(await trunk.suspend())) as Suspended;
    });
    expect(first.trajectories).toEqual([]);
    const { env, agent } = createCheckGround();
    const contexts: number[][] = [];
    const run = async (scope: Scope): Promise<void> => {
      const walk = await scope.resume(kept as Suspended);
      await walk?.advance();
      contexts.push([...(walk?.context() ?? [])]);
    };
    const { trajectories, spent } = await rollOut({ env, agent, strategy: { run }, tasks: [task], seed: 6 });
    const [resumed] = trajectories as [Trajectory];
    expect(validateForest(trajectories)).toEqual([]);
    expect(resumed.id).toBe("corridor-train-0/trunk");
    expect(resumed.steps.map(({ index }) => index)).toEqual(resumed.steps.map((_, at) => at));
    expect([...(resumed.streams[0]?.ids ?? [])]).toEqual(contexts[0]);
    const said = resumed.streams[0]?.mask.reduce((total, on) => total + on, 0) ?? 0;
    expect(said).toBe(first.spent.sampledTokens + spent.sampledTokens);
    for (const { span } of resumed.steps) {
      expect(resumed.streams[0]?.mask.subarray(span?.start, span?.end).every((on) => on === 1)).toBe(true);
    }
  }
});
