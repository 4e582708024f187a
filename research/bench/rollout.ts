/** Benches of the rollout loop: what it adds to the sampler and to the world, and what a tree stores. */
import { createCorridor } from "../../packages/core/src/env/corridor.ts";
import type { Env } from "../../packages/core/src/env/env.ts";
import type { Dialect } from "../../packages/policy/src/policy/dialect.ts";
import { createStrategy } from "../../packages/core/src/rollout/registry.ts";
import { createDemonstratorAgent } from "../../packages/core/src/walk/mind/demonstrator-agent.ts";
import { createTokenAgent } from "../../packages/core/src/walk/mind/token-agent.ts";
import { rollOut } from "../../packages/core/src/walk/line/roll-out.ts";
import type { Scope, Walk } from "../../packages/core/src/walk/line/strategy.ts";
import type { Task, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import { bundleProgram } from "./bundled-program.ts";
import { seconds, type Bench } from "./harness.ts";
import { createPolicy, drawTokens, THREADS } from "./policy-models.ts";

/** The shortest of five of each, in turns: what else the machine does only ever adds, and it changes from minute to minute. */
async function shortestOfEach(
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
): Promise<[one: number, other: number]> {
  const best: [number, number] = [Infinity, Infinity];
  for (let round = 0; round < 5; round += 1) {
    best[0] = Math.min(best[0], await seconds(one));
    best[1] = Math.min(best[1], await seconds(other));
  }
  return best;
}

async function firstTasks(env: Env, count: number): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const task of env.tasks("train", { count })) tasks.push(task);
  return tasks;
}

const scripted: Bench = {
  name: "rollout/scripted-1000",
  repetitions: 3,
  warmUps: 0,
  summary:
    "1,000 episodes of household at once by its expert: time of the loop over that of a bare loop, as bundled code.",
  unit: "times",
  goal: { at: "most", value: 1.15 },
  setUp: async () => {
    const run = await bundleProgram<{
      readonly steps: number;
      readonly alone: number;
      readonly looped: number;
    }>("rollout-scripted");
    let [steps, rate] = [0, 0];
    return {
      measure: async () => {
        const figures = await run();
        ({ steps } = figures);
        rate = steps / figures.looped;
        return figures.looped / figures.alone;
      },
      notes: () => ({ steps, stepsPerSecond: Math.round(rate) }),
    };
  },
};

const ROWS = 64;
const STEPS = 12;
const ANSWER = 6;

/** Texts of fixed lengths without a tokenizer: an opening of 139 tokens, observations of 20, as household has them. */
function fixedDialect(): Dialect {
  const observation = drawTokens("0.9M", 20, "observation");
  return {
    opening: (text) => drawTokens("0.9M", 139, text),
    turn: () => observation,
    stop: [],
    answer: () => "go east",
    reply: () => drawTokens("0.9M", ANSWER, "reply"),
  };
}

const sampler: Bench = {
  name: "rollout/sampler-64",
  repetitions: 3,
  summary: `${ROWS} episodes of ${STEPS} steps with a model of 0.9M: what the loop adds to sampling alone, ${THREADS} threads.`,
  unit: "%",
  goal: { at: "most", value: 5 },
  setUp: async () => {
    const env = createCorridor({ rooms: STEPS + 1, maxSteps: STEPS });
    const [first] = await firstTasks(env, 1);
    const tasks = Array.from({ length: ROWS }, (_, at) => ({ ...(first as Task), id: `task ${at}` }));
    const dialect = fixedDialect();
    const policy = createPolicy("0.9M");
    const agent = createTokenAgent({ policy, dialect, answerTokens: ANSWER });
    const alone = async (seed: string): Promise<void> => {
      const talk = policy.open({ seed });
      talk.extend(dialect.opening("Room 1."));
      for (let step = 0; step < STEPS; step += 1) {
        await talk.sample({ maxTokens: ANSWER });
        if (step < STEPS - 1) talk.extend(dialect.turn(""));
      }
      talk.close();
    };
    let round = 0;
    return {
      measure: async () => {
        round += 1;
        const strategy = createStrategy("group", { size: 1 });
        const [sampled, looped] = await shortestOfEach(
          () => Promise.all(tasks.map(({ id }) => alone(`${round} ${id}`))),
          () => rollOut({ env, agent, strategy, tasks, seed: round }),
        );
        return 100 * (looped / sampled - 1);
      },
      notes: () => ({ tokens: ROWS * STEPS * ANSWER }),
    };
  },
};

const LEAVES = 64;
const DEPTH = 20;

/** Doubles at the first steps until there are 64 leaves, then all walk on to the end. */
async function growTree(scope: Scope): Promise<void> {
  let walks: Walk[] = [];
  for (const task of scope.tasks) {
    const trunk = await scope.open(task, "trunk");
    if (trunk !== undefined) walks.push(trunk);
  }
  while (walks.length < LEAVES) {
    const twins = await scope.together(walks, async (walk) => {
      const twin = await walk.fork(`twin${walk.depth}`);
      return twin === undefined ? [walk] : [walk, twin];
    });
    walks = twins.flat();
    await scope.together(walks, (walk) => walk.step());
  }
  await scope.together(walks, (walk) => walk.advance());
}

const tree: Bench = {
  name: "rollout/tree-64x20",
  summary: `A tree of ${LEAVES} leaves over ${DEPTH} steps: steps stored, over the different steps there are.`,
  unit: "times",
  goal: { at: "most", value: 1 },
  repetitions: 3,
  setUp: async () => {
    const env = createCorridor({ rooms: DEPTH + 1, maxSteps: DEPTH });
    const tasks = await firstTasks(env, 1);
    const agent = createDemonstratorAgent({ id: "east", summary: "", start: () => ({ next: () => "go east" }) });
    let stored = 0;
    return {
      measure: async () => {
        const { trajectories } = await rollOut({ env, agent, strategy: { run: growTree }, tasks, seed: 1 });
        stored = trajectories.reduce((total: number, { steps }: Trajectory) => total + steps.length, 0);
        if (trajectories.length !== LEAVES) throw new Error(`The tree has ${trajectories.length} leaves.`);
        // Levels 1 to 6 have 2, 4, ... 64 steps, each of the other 14 has 64.
        return stored / (2 + 4 + 8 + 16 + 32 + 64 + (DEPTH - 6) * LEAVES);
      },
      notes: () => ({ steps: stored, stepsOfSeparateEpisodes: LEAVES * DEPTH }),
    };
  },
};

export const rolloutBenches: readonly Bench[] = [scripted, sampler, tree];
