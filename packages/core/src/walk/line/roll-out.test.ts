import { expect, test } from "vitest";
import type { Env, Episode } from "../../env/env.ts";
import { wrapEnv, wrapEpisode } from "../../env/wrap.ts";
import type { Policy, Sampled } from "limbeck-policy/policy/policy";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { EngineError } from "limbeck-base/base/errors";
import { createCorridor } from "../../env/corridor.ts";
import { plainDialect } from "limbeck-policy/policy/tabular/script-tokenizer";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { createCheckGround } from "../check-ground.ts";
import { createTokenAgent } from "../mind/token-agent.ts";
import { rollOut, type RollOutOptions, type RollOutResult } from "./roll-out.ts";
import { createStrategy } from "../../rollout/registry.ts";
import { createWordDialect } from "../mind/word-dialect.ts";

const ground = createCheckGround();
const tasks = [...(ground.env.tasks("train", { count: 2 }) as Iterable<Task>)];

const roll = (more: Partial<RollOutOptions>): Promise<RollOutResult> => {
  const { env, agent } = createCheckGround();
  return rollOut({ env, agent, strategy: createStrategy("group", { size: 1 }), tasks, seed: 3, ...more });
};

/** A policy whose every answer is changed on its way out. */
function answering(change: (sampled: Sampled) => Sampled | Promise<Sampled>): Partial<RollOutOptions> {
  const dialect = createWordDialect(["go", "east"]);
  const good: Sampled = {
    ids: Int32Array.of(3, 4, 2),
    logprobs: new Float32Array(3),
    sampledLogprobs: new Float32Array(3),
    version: 0,
    ending: "stop",
  };
  const policy: Policy = {
    ref: { name: "faulty", version: 0 },
    open: () => ({
      tokens: new Int32Array(),
      extend: () => undefined,
      sample: async () => change(good),
      fork: () => {
        throw new Error("not here");
      },
      close: () => undefined,
    }),
    close: () => Promise.resolve(),
  };
  return { agent: createTokenAgent({ policy, dialect, answerTokens: 4 }) };
}

const faults: Record<string, { change: (sampled: Sampled) => Sampled | Promise<Sampled>; message: string }> = {
  "says no tokens": { change: (said) => ({ ...said, ids: new Int32Array() }), message: "it holds no tokens" },
  "says too many": {
    change: (said) => ({ ...said, ids: new Int32Array(9), logprobs: new Float32Array(9) }),
    message: "9 tokens where at most 4 were asked for",
  },
  "has a log-probability above 0": {
    change: (said) => ({ ...said, logprobs: Float32Array.of(0, 0.5, 0) }),
    message: "token 1 has the log-probability 0.5",
  },
  "has no number for a log-probability": {
    change: (said) => ({ ...said, sampledLogprobs: Float32Array.of(0, 0, Number.NaN) }),
    message: "token 2 has the log-probability NaN",
  },
  "has arrays of different lengths": {
    change: (said) => ({ ...said, logprobs: new Float32Array(2) }),
    message: "3 tokens have 2 and 3 log-probabilities",
  },
  throws: { change: () => Promise.reject(new Error("out of memory")), message: "out of memory" },
};

test.each(Object.entries(faults))(
  "a policy that %s costs its trajectory, not the run",
  async (_, { change, message }) => {
    let calls = 0;
    const { trajectories } = await roll(answering((said) => ((calls += 1) === 1 ? change(said) : said)));
    expect(trajectories.map(({ ending }) => ending).sort()).toEqual(["failed", "terminated"]);
    const failed = trajectories.find(({ ending }) => ending === "failed");
    expect(failed?.failure?.message).toContain(message);
    expect(failed?.reward.kind).toBe("unscored");
  },
);

/** The corridor with one thing changed in the first episode that is opened. */
function firstEpisode(change: (inner: Episode) => Partial<Episode>): Env {
  let opened = 0;
  return wrapEnv(ground.env, (inner) => {
    opened += 1;
    return opened === 1 ? wrapEpisode(inner, { fork: () => inner.fork(), ...change(inner) }) : inner;
  });
}

test.each([
  ["throws", () => ({ step: () => Promise.reject(new Error("The floor gave way.")) }), "The floor gave way."],
  [
    "answers something that is not a text",
    (inner: Episode) => ({
      step: async (action: string) => ({ ...(await inner.step(action)), observation: 7 as never }),
    }),
    'in step of task "corridor-train-0" the observation is a number, not a text',
  ],
  [
    "opens with something that is not a text",
    () => ({ observation: null as never }),
    'in open of task "corridor-train-0" the observation is null, not a text',
  ],
  ["hangs", () => ({ step: () => new Promise<never>(() => undefined) }), "gave no answer in 0.001 s"],
])("a world that %s costs its trajectory, not the run", async (_, change, message) => {
  const env = firstEpisode(change);
  const { trajectories } = await roll({ env, attempts: 1, episode: { envSeconds: 0.001 } });
  const [failed, other] = trajectories;
  expect([failed?.ending, failed?.reward.kind, other?.ending]).toEqual(["failed", "unscored", "terminated"]);
  expect(failed?.failure?.message).toContain(message);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])("an episode that is worth %s in the end is lost", async (value) => {
  const env = wrapEnv(ground.env, (inner) =>
    wrapEpisode(inner, {
      fork: () => inner.fork(),
      get reward() {
        const isOdd = inner.ending !== undefined && inner.task.id === tasks[0]?.id;
        return isOdd ? ({ kind: "scored", value } as const) : inner.reward;
      },
    }),
  );
  const { trajectories, failed } = await roll({ env });
  const [lost, other] = trajectories;
  expect([failed, lost?.ending, lost?.reward.kind, lost?.success]).toEqual([1, "failed", "unscored", null]);
  expect(lost?.failure).toMatchObject({ code: "bad-world", message: expect.stringContaining(String(value)) as string });
  expect(other?.ending).toBe("terminated");
});

test("a world that fails once is opened anew and the same episode goes on", async () => {
  const wanted = await roll({});
  let steps = 0;
  const env = wrapEnv(ground.env, (inner) =>
    wrapEpisode(inner, {
      fork: () => inner.fork(),
      step: (action, options) => ((steps += 1) === 3 ? Promise.reject(new Error("once")) : inner.step(action, options)),
    }),
  );
  const { trajectories, spent } = await roll({ env, concurrency: 1 });
  const actions = (all: readonly Trajectory[]) => all.map((one) => one.steps.map(({ action }) => action));
  expect(actions(trajectories)).toEqual(actions(wanted.trajectories));
  // The failed step and the two before it, once more.
  expect(spent.envSteps).toBe(wanted.spent.envSteps + 3);
});

test("a policy that says how many it serves best at once is asked for no more", async () => {
  let [inFlight, most] = [0, 0];
  const { agent } = answering(async (said) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    await Promise.resolve();
    inFlight -= 1;
    return said;
  });
  if (agent === undefined) throw new Error("no agent");
  await roll({ agent });
  expect(most).toBe(2);
  most = 0;
  await roll({ agent: { ...agent, ref: agent.ref, concurrency: 1 } });
  expect(most).toBe(1);
});

test("a slow policy is given up", async () => {
  const hang = answering(() => new Promise<never>(() => undefined));
  const { trajectories } = await roll({ ...hang, episode: { policySeconds: 0.001 } });
  expect(trajectories.map(({ failure }) => failure?.code)).toEqual(["policy-timeout", "policy-timeout"]);
});

test("limits of an episode truncate it, and what the world says counts", async () => {
  const short = await roll({ episode: { steps: 1 } });
  expect(short.trajectories[0]).toMatchObject({ ending: "truncated", success: false, reward: { kind: "scored" } });
  const silent = await roll({ episode: { tokens: 4 } });
  expect(silent.trajectories[0]).toMatchObject({ ending: "truncated", success: false, info: { stopped: "tokens" } });
  await expect(roll({ episode: { tokens: 0 } })).rejects.toThrow("must be a number above 0");
});

test("a judge's word replaces the world's; one that throws leaves it unscored", async () => {
  const kind = await roll({ judge: async () => ({ reward: { kind: "scored", value: 0.25 }, success: true }) });
  expect(kind.trajectories[0]).toMatchObject({ reward: { value: 0.25 }, success: true });
  const odd = await roll({ judge: async () => ({ reward: { kind: "scored", value: Number.NaN }, success: true }) });
  expect(odd.trajectories[0]).toMatchObject({
    reward: { kind: "unscored", why: expect.stringContaining("NaN") as string },
    success: null,
  });
  const broken = await roll({ judge: () => Promise.reject(new Error("no server")) });
  expect(broken.trajectories[0]).toMatchObject({
    reward: { kind: "unscored", why: "The judge failed: no server" },
    success: null,
  });
});

test("a world that cannot be copied is made again by replaying its past, which is paid for", async () => {
  const env = wrapEnv(ground.env, (inner) =>
    wrapEpisode(inner, { fork: () => Promise.reject(new Error("no copies")) }),
  );
  const twigs: unknown[] = [];
  const strategy: RollOutOptions["strategy"] = {
    run: async (scope) => {
      const walk = await scope.open(tasks[0] as Task, "walk");
      await walk?.impose("go east", "test");
      await walk?.impose("go east", "test");
      const twig = await walk?.fork("twig");
      twigs.push(twig === undefined ? undefined : [twig.observation, twig.stateKey, twig.depth]);
    },
  };
  const { spent } = await roll({ env, strategy });
  // Two steps, and the same two again for the twig.
  expect(spent.envSteps).toBe(4);
  await roll({ env, strategy, budget: { envSteps: 3 } });
  // The fourth step cannot be paid.
  expect(twigs).toEqual([["Room 3.", "room 3", 2], undefined]);
});

test("a world that says it must not be copied ends a strategy that asks for it; what was finished is stored", async () => {
  const refuse = (): Promise<never> =>
    Promise.reject(new EngineError("cannot-fork", "A payment twice is two payments."));
  const env = wrapEnv(ground.env, (inner) => wrapEpisode(inner, { fork: refuse }));
  const lake: Trajectory[] = [];
  const strategy: RollOutOptions["strategy"] = {
    run: async (scope) => {
      await (await scope.open(tasks[0] as Task, "done"))?.advance();
      await (await scope.open(tasks[1] as Task, "open"))?.fork("twig");
    },
  };
  const sink = { append: async (trajectory: Trajectory) => void lake.push(trajectory) };
  await expect(roll({ env, strategy, sink })).rejects.toMatchObject({ code: "cannot-fork" });
  expect(lake.map(({ id, info }) => [id, info?.["stopped"]])).toEqual([
    ["corridor-train-0/done", undefined],
    ["corridor-train-1/open", "left open"],
  ]);
});

test("a replay that shows another state on the way is found out, though it ends where it should", async () => {
  let opened = 0;
  const env = wrapEnv(ground.env, (inner) => {
    opened += 1;
    const isSecond = opened === 2;
    let taken = 0;
    return wrapEpisode(inner, {
      get stateKey() {
        return isSecond && taken === 1 ? "somewhere else" : inner.stateKey;
      },
      fork: () => inner.fork(),
      step: (action, given) => {
        taken += 1;
        return inner.step(action, given);
      },
    });
  });
  const strategy: RollOutOptions["strategy"] = {
    run: async (scope) => {
      const walk = await scope.open(tasks[0] as Task, "walk");
      for (let step = 0; step < 3; step += 1) await walk?.impose("go east", "test");
      const twig = await walk?.branchAt({ step: 2 }, "twig");
      expect(twig?.ending).toBe("failed");
    },
  };
  const { trajectories } = await roll({ env, strategy });
  expect(trajectories.find(({ id }) => id.endsWith("twig"))?.failure).toMatchObject({ code: "replay-diverged" });
});

test("when the time is up an episode stops: what it said is kept, and it is not failed", async () => {
  let seconds = 0;
  const env = wrapEnv(ground.env, (inner) =>
    wrapEpisode(inner, {
      fork: () => inner.fork(),
      step: (action, given) => {
        seconds += 1;
        return inner.step(action, given);
      },
    }),
  );
  const { trajectories, spent } = await roll({
    env,
    budget: { seconds: 2 },
    now: () => seconds * 1_000,
    concurrency: 1,
  });
  expect(spent.envSteps).toBe(2);
  for (const trajectory of trajectories) {
    expect(trajectory).toMatchObject({ ending: "truncated", info: { stopped: "budget" } });
  }
});

test("a safe walk stops before what cannot be taken back", async () => {
  const env = wrapEnv(ground.env, (inner) =>
    wrapEpisode(inner, { fork: () => inner.fork(), irreversible: (action) => action === "go west" }),
  );
  const strategy: RollOutOptions["strategy"] = {
    run: async (scope) => {
      const walk = await scope.open(tasks[0] as Task, "walk", { safe: true });
      expect(await walk?.impose("go east", "test")).toBeDefined();
      expect(await walk?.impose("go west", "test")).toBeUndefined();
    },
  };
  const { trajectories, spent } = await roll({ env, strategy });
  expect(spent.envSteps).toBe(1);
  expect(trajectories[0]).toMatchObject({ ending: "truncated", info: { stopped: "irreversible" } });
  expect(trajectories[0]?.steps.at(-1)).toMatchObject({ action: "go west", info: { unfinished: true } });
});

test("what the policy has no room to read is not in the stream, which then fits its context", async () => {
  const env = createCorridor({ rooms: 9 });
  const roomFor = async (contextLength: number): Promise<Trajectory> => {
    const policy = createScriptedPolicy({ script: () => [{ text: "go east", probability: 1 }], contextLength });
    const agent = createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer) });
    return (await roll({ env, agent, tasks: [...(env.tasks("train", { count: 1 }) as Iterable<Task>)] }))
      .trajectories[0] as Trajectory;
  };
  const whole = await roomFor(1_000);
  const [, , third] = whole.steps;
  const end = third?.span?.end ?? 0;
  expect([whole.success, end > 0]).toEqual([true, true]);
  // Room for three answers and not for what is seen next.
  const { steps, streams, info } = await roomFor(end + 1);
  expect([steps.length, info?.["stopped"], streams.length]).toEqual([3, "context", 1]);
  expect([...(streams[0]?.ids ?? [])]).toEqual([...(whole.streams[0]?.ids.subarray(0, end) ?? [])]);
});
