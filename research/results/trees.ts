/** Trees against independent groups: sampled tokens for the same number of distinct successes. */
import { bootstrap } from "limbeck/eval";
import { createRng, type Rng, type Step, type Task } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { createHousehold } from "limbeck/env";
import { createStrategy, rollOut } from "limbeck/search";
import { createForest, episodeSteps } from "limbeck/reward";
import { createNoisyAgent } from "./noisy-agent.ts";
import type { Study } from "./study.ts";

const SEEDS = 20;
const TASKS = 12;

interface Contender {
  readonly strategy: string;
  readonly options: Readonly<Record<string, number | string>>;
}

interface Setting {
  readonly dial: "tiny" | "small";
  readonly noise: number;
  readonly contenders: readonly Contender[];
}

const group: Contender = { strategy: "group", options: { size: 8 } };
/** The first number of nodes was enough for the group's distinct successes on other games (seeds 100 to 105). */
const settings: readonly Setting[] = [
  {
    dial: "tiny",
    noise: 0.3,
    contenders: [
      { strategy: "tree", options: { nodes: 18 } },
      { strategy: "tree", options: { nodes: 32 } },
      { strategy: "tree", options: { nodes: 10, roots: 2 } },
      { strategy: "tree", options: { when: "disagreement", nodes: 12 } },
      { strategy: "tree", options: { when: "depth", depth: 2, nodes: 24 } },
      { strategy: "tree", options: { when: "every", nodes: 9 } },
      { strategy: "treepo", options: { width: 12, segment: 40, firstMost: 2 } },
    ],
  },
  {
    dial: "small",
    noise: 0.3,
    contenders: [
      { strategy: "tree", options: { nodes: 14 } },
      { strategy: "tree", options: { nodes: 18 } },
      { strategy: "treepo", options: { width: 10, segment: 40, firstMost: 2 } },
    ],
  },
  {
    dial: "small",
    noise: 0.5,
    contenders: [
      { strategy: "tree", options: { nodes: 8 } },
      { strategy: "tree", options: { nodes: 8, interval: 3 } },
    ],
  },
];

interface Outcome {
  readonly tokens: number;
  readonly episodes: number;
  /** Successful episodes of different actions, and of different states passed on the way. */
  readonly byActions: number;
  readonly byStates: number;
  readonly solved: number;
}

async function rollOnce({ dial, noise }: Setting, { strategy, options }: Contender, seed: number): Promise<Outcome> {
  const env = createHousehold({ dial });
  const tasks: Task[] = [];
  for await (const task of env.tasks("train", { offset: seed * TASKS, count: TASKS })) tasks.push(task);
  const { trajectories, spent, episodes } = await rollOut({
    env,
    agent: createNoisyAgent({ noise }),
    strategy: createStrategy(strategy, options),
    tasks,
    seed,
  });
  const forest = createForest(trajectories);
  const won = trajectories.filter(({ success }) => success === true);
  const count = (key: (steps: readonly Step[]) => string): number =>
    new Set(won.map((one) => `${one.task.id}\n${key(episodeSteps(forest, one.id))}`)).size;
  return {
    tokens: spent.sampledTokens,
    episodes,
    byActions: count((steps) => steps.map(({ action }) => action).join("\n")),
    byStates: count((steps) => statesPassed(steps).join("\n")),
    solved: new Set(won.map(({ task }) => task.id)).size,
  };
}

/** States in the order in which they were entered; steps that changed nothing do not count. */
function statesPassed(steps: readonly Step[]): string[] {
  return steps.map(({ stateKey }) => stateKey).filter((key, at, all) => key !== all[at - 1]);
}

const COLUMNS = [
  "tokens",
  "episodes",
  "distinct",
  "by states",
  "solved",
  "tokens saved",
  "distinct more",
  "by states more",
];

async function study(print: (line: string) => void): Promise<void> {
  print(
    `${SEEDS} seeds, ${TASKS} training games each. Means; in brackets 95% intervals, a paired bootstrap over the seeds.\n`,
  );
  print(`| dial, noise | strategy | ${COLUMNS.join(" | ")} |`);
  print(`| --- | --- |${" ---: |".repeat(COLUMNS.length)}`);
  for (const setting of settings) {
    const base = await overSeeds(setting, group);
    print(row(setting, group, base, base));
    for (const contender of setting.contenders) {
      print(row(setting, contender, await overSeeds(setting, contender), base));
    }
  }
}

async function overSeeds(setting: Setting, contender: Contender): Promise<Outcome[]> {
  const found: Outcome[] = [];
  for (let seed = 0; seed < SEEDS; seed += 1) found.push(await rollOnce(setting, contender, seed));
  return found;
}

function row(
  { dial, noise }: Setting,
  { strategy, options }: Contender,
  found: readonly Outcome[],
  base: readonly Outcome[],
): string {
  const average = (value: (one: Outcome) => number, digits = 1): string => mean(found.map(value)).toFixed(digits);
  const saved = found.map((one, at) => 1 - one.tokens / (base[at] as Outcome).tokens);
  const byActions = found.map((one, at) => one.byActions - (base[at] as Outcome).byActions);
  const byStates = found.map((one, at) => one.byStates - (base[at] as Outcome).byStates);
  const rng = createRng(JSON.stringify([dial, noise, strategy, options]));
  const cells = [
    `${dial}, ${noise}`,
    [`\`${strategy}\``, ...Object.entries(options).map(([name, value]) => `${name} ${value}`)].join(", "),
    average(({ tokens }) => tokens, 0),
    average(({ episodes }) => episodes),
    average(({ byActions }) => byActions),
    average(({ byStates }) => byStates),
    average(({ solved }) => solved),
    ...(found === base
      ? ["", "", ""]
      : [
          percent(saved, rng.split("saved")),
          plain(byActions, rng.split("actions")),
          plain(byStates, rng.split("states")),
        ]),
  ];
  return `| ${cells.join(" | ")} |`;
}

function percent(values: readonly number[], rng: Rng): string {
  const { low, high } = bootstrap(values, { rng });
  return `${(100 * mean(values)).toFixed(1)}% [${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`;
}

function plain(values: readonly number[], rng: Rng): string {
  const { low, high } = bootstrap(values, { rng });
  return `${mean(values).toFixed(1)} [${low.toFixed(1)}, ${high.toFixed(1)}]`;
}

export const trees: Study = { name: "trees", title: "Rollout strategies: trees", run: study };
