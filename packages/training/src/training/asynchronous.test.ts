import { expect, test } from "vitest";
import { asynchronousPlans } from "../../../../test/support/asynchronous-training.ts";
import { createChatDialect } from "limbeck-policy/policy/local/chat-dialect";
import { openModel, requireTokenizer } from "limbeck-policy/policy/local/open-model";
import { createStrategy } from "limbeck-core/rollout/registry";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { createSupply, staleness, type Away } from "./asynchronous.ts";
import { type Assignment, play } from "limbeck-core/update/collect";
import type { AwayPlace } from "./options.ts";
import { train } from "./train.ts";
import { agentFor } from "limbeck-core/update/agent";
import { cut } from "limbeck-core/update/context";
import type { SharedWeights } from "./opened-model.ts";

/** Someone elsewhere whose batches end when the test says so, and who notes with which weights each was begun. */
function scriptedAway(width = 1) {
  const state = { weights: 0, closed: false };
  const begun: { readonly update: number; readonly weights: number }[] = [];
  const open = new Map<number, (value: readonly Trajectory[]) => void>();
  const away: Away = {
    width,
    renew: () => Promise.resolve(),
    play: ({ update }) => {
      begun.push({ update, weights: state.weights });
      return new Promise((resolve) => open.set(update, resolve));
    },
    close: () => {
      state.closed = true;
      return Promise.resolve();
    },
  };
  return { away, begun, state, end: (update: number) => open.get(update)?.([]) };
}

const supplyWith = (away: Away, lag: number, updates = 9) =>
  createSupply({
    away,
    lag,
    from: 0,
    updates,
    assign: (update, skills): Promise<Assignment> =>
      Promise.resolve({ update, tasks: [], seed: "", prefix: "", skills }),
    version: () => 0,
    skills: {},
    now: () => 0,
    signal: new AbortController().signal,
  });

/** Lets everything that is ready go on. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("with a lag of 0 a batch is begun when the update before it is learned, not sooner", async () => {
  const { away, begun, end, state } = scriptedAway(4);
  const supply = supplyWith(away, 0);
  const first = supply.take(1);
  await settle();
  expect(begun.map(({ update }) => update)).toEqual([1]);
  end(1);
  await first;
  await settle();
  expect(begun).toHaveLength(1);
  state.weights = 1;
  await supply.learned(1, {});
  await settle();
  expect(begun).toEqual([
    { update: 1, weights: 0 },
    { update: 2, weights: 1 },
  ]);
  end(2);
  expect((await supply.take(2)).metrics["async/lag"]).toBe(0);
});

test("playing goes ahead as far as the lag allows, one batch at a time, and waits there", async () => {
  const { away, begun, end, state } = scriptedAway();
  const supply = supplyWith(away, 2);
  const first = supply.take(1);
  await settle();
  for (const update of [1, 2, 3]) {
    end(update);
    await settle();
  }
  await first;
  // Update 4 with the first weights would be 3 updates behind.
  expect(begun.map(({ update }) => update)).toEqual([1, 2, 3]);
  state.weights = 1;
  await supply.learned(1, {});
  await settle();
  expect(begun.at(-1)).toEqual({ update: 4, weights: 1 });
  const second = await supply.take(2);
  expect(second.metrics).toMatchObject({ "async/lag": 1, "async/ahead": 1 });
  expect((await supply.take(3)).metrics["async/lag"]).toBe(2);
});

test("who closes gives up what is being played; nothing is begun past the last update", async () => {
  const { away, begun, end, state } = scriptedAway(8);
  const supply = supplyWith(away, 5, 2);
  const first = supply.take(1);
  await settle();
  expect(begun.map(({ update }) => update)).toEqual([1, 2]);
  end(1);
  await first;
  const closed = supply.close();
  end(2);
  await closed;
  expect(state.closed).toBe(true);
});

test("a batch that failed fails whoever takes it, and nobody else", async () => {
  const failing: Away = { ...scriptedAway().away, play: () => Promise.reject(new Error("the world is gone")) };
  await expect(supplyWith(failing, 0).take(1)).rejects.toThrow("the world is gone");
});

test("staleness is counted token by token", () => {
  const stream = {
    ids: Int32Array.of(1, 2, 3, 4),
    mask: Uint8Array.of(0, 1, 1, 1),
    versions: Int32Array.of(0, 5, 5, 7),
  };
  const episode = { streams: [stream] } as unknown as Trajectory;
  // With version 8 now: (3 + 3 + 1) / 3 = 7/3; what was read does not count.
  expect(staleness([episode], 8)).toEqual({ "async/staleness": 7 / 3, "async/mostStale": 3 });
  expect(staleness([], 8)).toEqual({});
});

const plan = asynchronousPlans();

type Options = Awaited<ReturnType<typeof plan>>;

/** Plays in this thread, with weights of its own: what the loss does about them is the same, and no thread starts. */
async function openBeside({ env, model }: Options, share: SharedWeights, { settings }: AwayPlace): Promise<Away> {
  if (share.kind !== "here") throw new Error("the weights are in this process");
  const { copy } = share;
  const own = await openModel(model, { threads: 1 });
  const dialect = await createChatDialect(requireTokenizer(own));
  const strategy = createStrategy("group", { size: 3 });
  const [demonstrator, peers] = [undefined, 3];
  return {
    width: 1,
    renew: () => {
      const { version, weights } = copy();
      own.weights.flat.set(weights);
      own.replaced(version);
      return Promise.resolve();
    },
    play: async ({ tasks, seed, prefix }, signal) => {
      const agent = agentFor({ model: own, dialect, settings });
      const world = cut(env, settings.maxSteps);
      const given = { env: world, demonstrator, agent, strategy, tasks, seed, prefix, peers, signal };
      return (await play(given)).trajectories;
    },
    close: () => own.close(),
  };
}

test.each(["sequence", "bypass", "none"] as const)("the correction %s trains", async (method) => {
  const base = { ...(await plan(`by-${method}`, { tasks: 1 })), steps: 2 };
  const correction = { method, truncate: null, rejectAbove: 0.5 };
  const openAway: Options["openAway"] = (share, place) => openBeside(base, share, place);
  const end = await train({ ...base, lag: 1, correction, openAway });
  expect(end.update).toBe(2);
});

test("what cannot be played elsewhere is refused by name", async () => {
  const remembering = { ...(await plan("memory")), strategy: "replay" };
  await expect(train({ ...remembering, lag: 1 })).rejects.toMatchObject({ code: "needs-unmet" });
  const base = await plan("uncorrected", { objective: "gmpo" });
  const openAway: Options["openAway"] = (share, place) => openBeside(base, share, place);
  await expect(train({ ...base, lag: 1, openAway })).rejects.toMatchObject({ code: "needs-unmet" });
  const { world: _world, ...unnamed } = await plan("unnamed");
  await expect(train({ ...unnamed, lag: 1 })).rejects.toThrow(/cannot have the env that was given as an object/);
});
