/** Pruning against whole groups: tokens saved, tasks still solved, and how balanced groups are. */
import { bootstrap } from "limbeck/eval";
import { createRng, type Task } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { createHousehold } from "limbeck/env";
import { createStrategy, rollOut } from "limbeck/search";
import type { RollOutResult } from "../../packages/core/src/walk/line/roll-out.ts";
import { createNoisyAgent } from "./noisy-agent.ts";
import { shown } from "../shown.ts";
import type { Study } from "./study.ts";

const [SEEDS, TASKS, SIZE, KEEP, CHECK, LEARNING] = [20, 6, 8, 4, 8, 2] as const;
const NOISE = 0.65;
/** Seeds 0 to 19 were looked at while the rule was chosen. */
const FIRST_SEED = 100;

interface Outcome {
  readonly tokens: number;
  /** Tasks with at least one success, and with a success and a failure. */
  readonly solved: number;
  readonly mixed: number;
  /** Pairs of a later success and a later failure of one rollout, and how many of them the predictor had in order. */
  readonly pairs: number;
  readonly ordered: number;
}

const contenders = {
  "group of 8": { strategy: "group", options: { size: SIZE } },
  "group of 4": { strategy: "group", options: { size: KEEP } },
  "prune 8 to 4": { strategy: "prune", options: { size: SIZE, keep: KEEP, check: CHECK, labels: 40 } },
  "prune 8 to 6": { strategy: "prune", options: { size: SIZE, keep: 6, check: CHECK, labels: 40 } },
  "prune 8 to 4, without protect": {
    strategy: "prune",
    options: { size: SIZE, keep: KEEP, check: CHECK, labels: 40, protect: false },
  },
} as const;

/** The measured rollout of a seed; only pruning has something to learn from the ones before. */
async function measured(name: keyof typeof contenders, seed: number): Promise<Outcome> {
  const { strategy: id, options } = contenders[name];
  const env = createHousehold({ dial: "small" });
  const strategy = createStrategy(id, options);
  const roll = (rollout: number): Promise<RollOutResult> => {
    const offset = (seed * (LEARNING + 1) + rollout) * TASKS;
    const tasks = [...(env.tasks("train", { offset, count: TASKS }) as Iterable<Task>)];
    return rollOut({ env, agent: createNoisyAgent({ noise: NOISE }), strategy, tasks, seed: `${seed} ${rollout}` });
  };
  if (id === "prune") for (let rollout = 0; rollout < LEARNING; rollout += 1) await roll(rollout);
  const { trajectories, spent } = await roll(LEARNING);
  const groups = [...new Set(trajectories.map(({ group }) => group))].map((group) =>
    trajectories.filter((one) => one.group === group && one.success !== null).map(({ success }) => success === true),
  );
  const looked = trajectories.flatMap(({ success, info }) =>
    info?.["prune"] === undefined || success === null
      ? []
      : [{ success, chance: (info["prune"] as { readonly chance: number }).chance }],
  );
  const pairs = looked
    .filter(({ success }) => success)
    .flatMap((won) => looked.filter(({ success }) => !success).map((lost) => won.chance - lost.chance));
  return {
    tokens: spent.sampledTokens,
    solved: groups.filter((outcomes) => outcomes.includes(true)).length,
    mixed: groups.filter((outcomes) => new Set(outcomes).size === 2).length,
    pairs: pairs.length,
    ordered: pairs.reduce((total, difference) => total + (difference > 0 ? 1 : difference === 0 ? 0.5 : 0), 0),
  };
}

async function study(print: (line: string) => void): Promise<void> {
  print(
    `Household, dial small, the expert with noise ${NOISE}. ${SEEDS} seeds (from ${FIRST_SEED}), ${TASKS} tasks each; the check is after ${CHECK} steps of at most 30. The predictor has learnt from ${LEARNING} rollouts on other tasks before.\n`,
  );
  const rng = createRng("prune");
  const found = new Map<string, Outcome[]>();
  for (const name of Object.keys(contenders) as (keyof typeof contenders)[]) {
    const outcomes: Outcome[] = [];
    for (let seed = 0; seed < SEEDS; seed += 1) outcomes.push(await measured(name, FIRST_SEED + seed));
    found.set(name, outcomes);
  }
  const base = found.get("group of 8") ?? [];
  print(
    `| strategy | sampled tokens | against group of 8 | tasks solved of ${TASKS} | difference | groups with both outcomes |`,
  );
  print("| --- | ---: | ---: | ---: | ---: | ---: |");
  for (const [name, outcomes] of found) {
    const cell = (values: readonly number[], digits: number): string =>
      shown(mean(values), bootstrap(values, { rng: rng.split(`${name} ${values.join(" ")}`) }), digits);
    const tokens = cell(outcomes.map((one, at) => 100 * (one.tokens / (base[at] as Outcome).tokens - 1)), 1); // prettier-ignore
    const solved = cell(outcomes.map((one, at) => one.solved - (base[at] as Outcome).solved), 2); // prettier-ignore
    print(
      `| ${name} | ${mean(outcomes.map((one) => one.tokens)).toFixed(0)} | ${tokens}% | ${cell(outcomes.map((one) => one.solved), 2)} | ${solved} | ${cell(outcomes.map((one) => one.mixed), 2)} |`, // prettier-ignore
    );
  }
  const pruned = found.get("prune 8 to 4") ?? [];
  const [pairs, ordered] = [
    pruned.reduce((sum, one) => sum + one.pairs, 0),
    pruned.reduce((sum, one) => sum + one.ordered, 0),
  ];
  print(
    `\nThe predictor has ${((100 * ordered) / pairs).toFixed(1)}% of ${pairs} pairs of a later success and a later failure in order (of those that were not stopped).\n`,
  );
}

export const prune: Study = { name: "prune", title: "Rollout strategies: prune", run: study };
