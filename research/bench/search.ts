/** Benches of search: what the frame costs beside the model, and how much memory a large tree takes. */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Env, Episode } from "../../packages/core/src/env/env.ts";
import { createTokenAgent } from "../../packages/core/src/walk/mind/token-agent.ts";
import { runSearch } from "../../packages/core/src/walk/tree/run-search.ts";
import type { Search } from "../../packages/core/src/walk/tree/search.ts";
import { scored } from "../../packages/base/src/trajectory/score.ts";
import type { Task, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import { bundleProgram } from "./bundled-program.ts";
import { ANSWER, createFreePolicy, firstTask, fixedDialect } from "./free-policy.ts";
import type { Bench } from "./harness.ts";
import { THREADS } from "./policy-models.ts";

const BRANCHES = 64;
const STEPS = 12;

const overhead: Bench = {
  name: "search/overhead-64",
  repetitions: 3,
  warmUps: 0,
  summary: `${BRANCHES} branches of ${STEPS} steps at once: the search's own time over that of sampling them with a model of 0.9M, ${THREADS} threads, as bundled code.`,
  unit: "%",
  goal: { at: "most", value: 2 },
  setUp: async () => {
    const run = await bundleProgram<{
      readonly nodes: number;
      readonly ownSeconds: number;
      readonly modelSeconds: number;
    }>("search-overhead");
    let [ownMs, modelMs, nodes] = [0, 0, 0];
    return {
      measure: async () => {
        const figures = await run(`${BRANCHES}`, `${STEPS}`);
        [ownMs, modelMs, nodes] = [figures.ownSeconds * 1_000, figures.modelSeconds * 1_000, figures.nodes];
        return (100 * ownMs) / modelMs;
      },
      notes: () => ({ ownMs: Math.round(ownMs * 10) / 10, modelMs: Math.round(modelMs), nodes }),
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
