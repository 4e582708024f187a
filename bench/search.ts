/** Benches of search: what the frame costs beside the model, and how much memory a large tree takes. */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createCorridor } from "../src/env/corridor.ts";
import type { Env, Episode } from "../src/env/index.ts";
import type { Conversation, Dialect, Policy, Sampled } from "../src/policy/index.ts";
import { createTokenAgent } from "../src/rollout/index.ts";
import { createSearch, runSearch, type Search } from "../src/search/index.ts";
import { scored, type Task, type Trajectory } from "../src/trajectory/index.ts";
import { seconds, type Bench } from "./harness.ts";
import { createPolicy, drawTokens, THREADS } from "./policy-models.ts";

const BRANCHES = 64;
const STEPS = 12;
const ANSWER = 6;
const WARM_TREES = 20;

/** An opening of 139 tokens and observations of 20, as household has them; every answer is an action of its own. */
function fixedDialect(action?: string): Dialect {
  const observation = drawTokens("0.9M", 20, "observation");
  return {
    opening: (text) => drawTokens("0.9M", 139, text),
    turn: () => observation,
    stop: [],
    answer: (ids) => action ?? Array.from(ids).join(" "),
    reply: () => drawTokens("0.9M", ANSWER, "reply"),
  };
}

/** A policy that costs nothing: what is left of a search's time is its own. `count` tells its answers apart. */
function createFreePolicy(): Policy {
  let count = 0;
  const open = (past: number): Conversation => {
    let length = past;
    return {
      get tokens() {
        return new Int32Array(length);
      },
      extend: (ids) => {
        length += ids.length;
      },
      sample: async (): Promise<Sampled> => {
        count += 1;
        length += ANSWER;
        const ids = Int32Array.from({ length: ANSWER }, (_, at) => Math.floor(count / 1_000 ** at) % 1_000);
        const logprobs = new Float32Array(ANSWER).fill(-0.5);
        return { ids, logprobs, sampledLogprobs: logprobs, version: 0, ending: "length" };
      },
      fork: () => open(length),
      close: () => undefined,
    };
  };
  return { ref: { name: "free", version: 0 }, open: () => open(0), close: () => Promise.resolve() };
}

async function firstTask(env: Env): Promise<Task> {
  for await (const task of env.tasks("train", { count: 1 })) return task;
  throw new Error("The world has no task.");
}

const overhead: Bench = {
  name: "search/overhead-64",
  repetitions: 2,
  summary: `${BRANCHES} branches of ${STEPS} steps at once: the search's own time over that of sampling them with a model of 0.9M, ${THREADS} threads.`,
  unit: "%",
  goal: { at: "most", value: 2 },
  setUp: async () => {
    const env = createCorridor({ rooms: STEPS + 1, maxSteps: STEPS });
    const task = await firstTask(env);
    const dialect = fixedDialect("go east");
    const model = createPolicy("0.9M");
    const search = createSearch("best-of-n", { n: BRANCHES, together: BRANCHES, stop: false });
    const agent = createTokenAgent({ policy: createFreePolicy(), dialect, answerTokens: ANSWER });
    const sampled = async (seed: string): Promise<void> => {
      const root = model.open({ seed });
      root.extend(dialect.opening("Room 1."));
      const branches = Array.from({ length: BRANCHES }, (_, at) => root.fork(at));
      await Promise.all(
        branches.map(async (talk) => {
          for (let step = 0; step < STEPS; step += 1) {
            await talk.sample({ maxTokens: ANSWER });
            if (step < STEPS - 1) talk.extend(dialect.turn(""));
          }
          talk.close();
        }),
      );
      root.close();
    };
    const own = async (seed: string): Promise<void> => {
      const { nodes } = await runSearch({ env, agent, task, search, seed });
      if (nodes !== BRANCHES * STEPS) throw new Error(`The tree has ${nodes} nodes.`);
    };
    // A search that is worth its time runs for minutes; its first trees are slow because the code is new to the engine.
    for (let tree = 0; tree < WARM_TREES; tree += 1) await own(`warm ${tree}`);
    let [round, ownMs, modelMs] = [0, 0, 0];
    return {
      measure: async () => {
        round += 1;
        const best: [number, number] = [Infinity, Infinity];
        for (let turn = 0; turn < 3; turn += 1) {
          best[0] = Math.min(best[0], await seconds(() => own(`${round}`)));
          best[1] = Math.min(best[1], await seconds(() => sampled(`${round}`)));
        }
        [ownMs, modelMs] = [best[0] * 1_000, best[1] * 1_000];
        return (100 * ownMs) / modelMs;
      },
      notes: () => ({ ownMs: Math.round(ownMs * 10) / 10, modelMs: Math.round(modelMs), nodes: BRANCHES * STEPS }),
      close: () => model.close(),
    };
  },
};

const NODES = 100_000;
const WIDTH = 8;

/** Accepts everything, shows a text of the usual length, and never ends. */
function createOpenWorld(): Env {
  const open = (task: Task, start: string): Episode => {
    let key = start;
    const observation = (): string =>
      `You are in place ${key}. You see a shelf 1, a shelf 2, a drawer 4 and a table. What now?`;
    return {
      task,
      get observation() {
        return observation();
      },
      get stateKey() {
        return key;
      },
      ending: undefined,
      reward: scored(0),
      success: null,
      admissible: () => undefined,
      step: async (action) => {
        key = createHash("sha1").update(`${key} ${action}`).digest("hex").slice(0, 12);
        return { observation: observation(), reward: scored(0), valid: true, ending: undefined, success: null };
      },
      fork: async () => open(task, key),
      close: () => Promise.resolve(),
    };
  };
  const task: Task = { id: "open", env: "open", seed: 1, goal: "Look around.", split: "train" };
  return {
    id: "open",
    summary: "Without end.",
    maxSteps: 1_000,
    splits: { train: 1 },
    tasks: () => [task],
    open: async (given) => open(given, "0"),
  };
}

/** Breadth first: every node grows `WIDTH` children until there are enough. */
const flood: Search = {
  run: async (scope) => {
    const open = [scope.root];
    let grown = 0;
    for (let node = open.shift(); node !== undefined && grown < NODES; node = open.shift()) {
      const children = await scope.expand(node, { count: Math.min(WIDTH, NODES - grown) });
      grown += children.length;
      open.push(...children);
    }
    return open[0];
  },
};

/** What is in use after a full collection, in bytes; what V8 has not given back yet is not the tree's. */
async function inUse(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // What a model of an earlier bench held is given back a turn of the loop after it was found to be garbage.
  for (let turn = 0; turn < 3; turn += 1) {
    collect();
    await setImmediate();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const memory: Bench = {
  name: "search/tree-100000",
  repetitions: 1,
  warmUps: 0,
  summary:
    "A tree of 100,000 nodes with exact tokens (26 a node), grown and stored: memory it holds when it is complete.",
  unit: "MB",
  goal: { at: "most", value: 500 },
  setUp: async () => {
    const env = createOpenWorld();
    const agent = createTokenAgent({ policy: createFreePolicy(), dialect: fixedDialect(), answerTokens: ANSWER });
    let [trajectories, steps, took, residentMb] = [0, 0, 0, 0];
    const sink = {
      append: async (trajectory: Trajectory) => {
        trajectories += 1;
        steps += trajectory.steps.length;
        return await Promise.resolve();
      },
    };
    return {
      measure: async () => {
        const task = await firstTask(env);
        const before = await inUse();
        let held = 0;
        const started = performance.now();
        const search: Search = {
          run: async (scope) => {
            const chosen = await flood.run(scope);
            took = (performance.now() - started) / 1_000;
            residentMb = Math.round(process.memoryUsage.rss() / 1e6);
            held = (await inUse()) - before;
            return chosen;
          },
        };
        const result = await runSearch({ env, agent, task, search, seed: 1, sink, collect: false });
        if (result.nodes !== NODES) throw new Error(`The tree has ${result.nodes} nodes.`);
        return held / 1e6;
      },
      notes: () => ({ trajectories, steps, seconds: Math.round(took * 10) / 10, residentMb }),
    };
  },
};

export const searchBenches: readonly Bench[] = [overhead, memory];
