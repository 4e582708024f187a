/**
 * What the bundled scorers are worth on tasks that nobody has seen, with the bundled models:
 *
 *     npx tsx research/scorers.ts [--seeds 1,2,3,4,5] [--tasks 20] [--worlds countdown,household --scorers DIR] [--parts choice,search]
 *
 * Of other worlds than household scorers are trained first, into DIR/WORLD (limbeck reward train).
 * choice: the best of 8 by the scorer, by likelihood, by length and by lot, on the same episodes.
 * search: BAVT with the scorer as value and with its former value, at equal model calls, blind to outcomes.
 * Each seed has tasks of its own; differences are paired by task, with 95% intervals.
 */
import { parseArgs } from "node:util";
import { rollout, search } from "limbeck";
import { mean, tInterval } from "limbeck/base";
import { bundledModel, bundledModels, openModel, type BundledModelName } from "limbeck/policy/local";
import { openScorer } from "limbeck/training";
import type { Trajectory } from "limbeck/trajectory";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1,2,3,4,5" },
    tasks: { type: "string", default: "20" },
    worlds: { type: "string", default: "household" },
    parts: { type: "string", default: "choice,search" },
    scorers: { type: "string" },
  },
});
const seeds = values.seeds.split(",").map(Number);
const tasks = Number(values.tasks);
const GROUP = 8;
/** Calls of a search: eight answers of countdown, three errands of household. */
const CALLS: Readonly<Record<string, number>> = { countdown: 8, household: 36 };

const write = (line: string): void => void process.stdout.write(`${line}\n`);
const told = (name: string, differences: readonly number[]): void => {
  const { mean: centre, low, high } = tInterval(differences);
  write(`  ${name}: ${centre.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)}), ${differences.length} tasks`);
};

function likelihood({ streams }: Trajectory): number {
  const own = streams.flatMap(({ mask, logprobs = new Float32Array() }) =>
    [...logprobs].filter((_, at) => mask[at] === 1),
  );
  return own.length === 0 ? 0 : mean(own);
}

/** Success of the best of a group; equals are as likely to be chosen. */
function chosen(group: readonly Trajectory[], worth: (one: Trajectory) => number): number {
  const most = Math.max(...group.map(worth));
  return mean(group.filter((one) => worth(one) === most).map(({ success }) => Number(success)));
}

for (const env of values.worlds.split(",") as BundledModelName[]) {
  const envOptions = bundledModels[env].worldOptions;
  const policy = await openModel(bundledModel(env));
  const scorer = await openScorer(values.scorers === undefined ? env : `${values.scorers}/${env}`);
  const place = { env, envOptions, policy, split: "test", tasks };
  try {
    if (values.parts.includes("choice")) {
      const by: Record<string, number[]> = { scorer: [], likelihood: [], length: [], random: [] };
      for (const seed of seeds) {
        const { trajectories } = await rollout({ ...place, offset: seed * tasks, seed, group: GROUP });
        const chances = new Map<string, number>();
        for (const one of trajectories) chances.set(one.id, (await scorer.scoreSteps(one, one.steps)).at(-1) ?? 0);
        for (const id of new Set(trajectories.map(({ task }) => task.id))) {
          const group = trajectories.filter(({ task, success }) => task.id === id && success !== null);
          by["scorer"]?.push(chosen(group, (one) => chances.get(one.id) ?? 0));
          by["likelihood"]?.push(chosen(group, likelihood));
          by["length"]?.push(chosen(group, ({ steps }) => -steps.length));
          by["random"]?.push(chosen(group, () => 0));
        }
      }
      const shares = Object.entries(by).map(([name, own]) => `${name} ${mean(own).toFixed(3)}`);
      write(`${env}: best of ${GROUP}, ${seeds.length} seeds: ${shares.join(", ")}`);
      for (const name of ["likelihood", "length", "random"])
        told(`against ${name}`, by["scorer"]?.map((value, at) => value - (by[name]?.[at] ?? 0)) ?? []);
    }
    if (values.parts.includes("search")) {
      const arms: Record<"scorer" | "former", number[]> = { scorer: [], former: [] };
      const calls = { scorer: 0, former: 0 };
      for (const seed of seeds) {
        for (const arm of ["scorer", "former"] as const) {
          const plan = { search: "bavt", budget: { modelCalls: CALLS[env] ?? 24 }, seesOutcome: false } as const;
          const found = await search({
            ...place,
            ...plan,
            offset: seed * tasks,
            seed,
            ...(arm === "scorer" ? { scorer } : {}),
          });
          arms[arm].push(...found.outcomes.map(({ episode }) => Number(episode.success)));
          calls[arm] += found.outcomes.reduce((sum, { spent }) => sum + spent.modelCalls, 0);
        }
      }
      write(
        `${env}: BAVT, ${CALLS[env]} calls a task: scorer ${mean(arms.scorer).toFixed(3)} (${calls.scorer} calls), former value ${mean(arms.former).toFixed(3)} (${calls.former} calls)`,
      );
      told(
        "difference",
        arms.scorer.map((value, at) => value - (arms.former[at] ?? 0)),
      );
    }
  } finally {
    await scorer.close();
    await policy.close();
  }
}
