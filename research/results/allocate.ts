/** Allocation against an even split of the same number of rollouts: hard tasks that are solved in the end. */
import { bootstrap } from "limbeck/eval";
import { createRng, type Task } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { createHousehold } from "limbeck/env";
import { createStrategy, rollOut } from "limbeck/search";
import { createNoisyAgent } from "./noisy-agent.ts";
import { shown } from "../shown.ts";
import type { Study } from "./study.ts";

const [SEEDS, TASKS, SIZE, FIRST] = [20, 10, 8, 4] as const;
const NOISE = 0.65;
const RULES = ["even", "interval", "equal", "hardness"] as const;
const NAMES = {
  even: "even split",
  interval: "XRPO (interval)",
  equal: "DARS (equal)",
  hardness: "DARS (hardness)",
} as const;

interface Outcome {
  readonly rollouts: number;
  readonly tokens: number;
  readonly hard: number;
  readonly hardSolved: number;
  readonly solved: number;
}

/** A task is hard when none of its first rollouts solved it; those are the same whatever the rule. */
async function measured(by: (typeof RULES)[number], seed: number): Promise<Outcome> {
  const env = createHousehold({ dial: "tiny" });
  const { trajectories, spent } = await rollOut({
    env,
    agent: createNoisyAgent({ noise: NOISE }),
    strategy: createStrategy("allocate", { by, size: SIZE, first: FIRST, examples: 0 }),
    tasks: [...(env.tasks("train", { offset: seed * TASKS, count: TASKS }) as Iterable<Task>)],
    seed,
  });
  const won = trajectories.filter(({ success }) => success === true);
  const early = won.filter(({ id }) => Number(id.split("/").at(-1)) < FIRST);
  const easy = new Set(early.map(({ task }) => task.id));
  const solved = new Set(won.map(({ task }) => task.id));
  return {
    rollouts: trajectories.length,
    tokens: spent.sampledTokens,
    hard: TASKS - easy.size,
    hardSolved: [...solved].filter((task) => !easy.has(task)).length,
    solved: solved.size,
  };
}

async function study(print: (line: string) => void): Promise<void> {
  print(
    `Household, dial tiny, the expert with noise ${NOISE}. ${SEEDS} seeds, ${TASKS} tasks each, at most ${SIZE * TASKS} rollouts, ${FIRST} of every task to begin with. Hard: none of those ${FIRST} succeeded (they are the same for every rule). No examples are shown.\n`,
  );
  const rng = createRng("allocate");
  const found = new Map<(typeof RULES)[number], Outcome[]>();
  for (const by of RULES) {
    const outcomes: Outcome[] = [];
    for (let seed = 0; seed < SEEDS; seed += 1) outcomes.push(await measured(by, seed));
    found.set(by, outcomes);
  }
  const base = found.get("even") ?? [];
  print("| rule | rollouts | sampled tokens | hard tasks | of them solved | more than even | all tasks solved |");
  print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const [by, outcomes] of found) {
    const average = (value: (one: Outcome) => number, digits: number): string =>
      mean(outcomes.map(value)).toFixed(digits);
    const cell = (values: readonly number[], what: string): string =>
      shown(mean(values), bootstrap(values, { rng: rng.split(`${by} ${what}`) }), 2);
    const more = outcomes.map((one, at) => one.hardSolved - (base[at] as Outcome).hardSolved);
    print(
      `| ${NAMES[by]} | ${average((one) => one.rollouts, 1)} | ${average((one) => one.tokens, 0)} | ${average((one) => one.hard, 2)} | ${cell(outcomes.map((one) => one.hardSolved), "hard")} | ${by === "even" ? "" : cell(more, "more")} | ${cell(outcomes.map((one) => one.solved), "all")} |`, // prettier-ignore
    );
  }
  print("");
}

export const allocate: Study = { name: "allocate", title: "Rollout strategies: allocate", run: study };
