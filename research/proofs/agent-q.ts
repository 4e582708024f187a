/**
 * Agent Q in the shop: greedy success after fine-tuning on wins, after preferences among siblings of a tree, and of the latter
 * with the search at play time too.
 *
 *     npx tsx research/proofs/agent-q.ts --jobs 16
 *
 * Both trainings end with the update in which they pass the same number of environment steps.
 */
import { join } from "node:path";
import { evaluate, train } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";

const STEPS = 1_600;
const ARMS = {
  // At the rate of the others: at the default, 3e-4, fine-tuning on wins unlearns.
  wins: { recipe: "rejection-sampling", settings: { tasks: 4, group: 8, learningRate: 1e-4 } },
  siblings: { recipe: "agent-q", settings: { tasks: 4, searchSteps: 64, learningRate: 1e-4 } },
} as const;

interface Result {
  readonly start: number;
  readonly greedy: number;
  /** The same policy on the first of the same tasks, alone and with the search. */
  readonly alone: number;
  readonly searched: number;
  readonly updates: number;
  readonly environmentSteps: number;
}

async function run({ arm, seed, quick, dir, split }: OneRun): Promise<Result> {
  const { recipe, settings } = ARMS[arm as keyof typeof ARMS];
  const { model, update, spent } = await train({
    env: "shop",
    recipe,
    seed,
    steps: quick ? 1 : 1_000,
    settings: quick ? { tasks: 1, maxSteps: 3, ...(arm === "wins" ? { group: 2 } : { searchSteps: 8 }) } : settings,
    enough: ({ environmentSteps }) => environmentSteps >= (quick ? 1 : STEPS),
    validation: { every: 0 },
    report: { tasks: 1 },
    threads: 1,
    keep: false,
    dir: join(dir, "trained"),
  });
  const how = { env: "shop", split, temperature: 0.01, seed, threads: 1, ...(quick ? { maxSteps: 3 } : {}) };
  const success = async (policy: string, tasks: number, search?: Parameters<typeof evaluate>[0]): Promise<number> =>
    (await evaluate({ ...how, ...search, policy, tasks: quick ? 1 : tasks })).success ?? Number.NaN;
  const search = { search: "agent-q", searchOptions: { width: 3 }, budget: { envSteps: quick ? 6 : 48 } };
  return {
    start: await success("bundled", 80),
    greedy: await success(model, 80),
    alone: await success(model, 40),
    // A tree of equal actions is none: it proposes at the temperature that it was trained with.
    searched: await success(model, 40, { search, temperature: 1 }),
    updates: update,
    environmentSteps: spent.environmentSteps,
  };
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  print("| arm | seeds | updates | steps | start | greedy | 40 tasks, greedy | 40 tasks, with search |");
  print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
  const of = (arm: string) => results.filter((one) => one.arm === arm);
  for (const arm of Object.keys(ARMS)) {
    const own = of(arm).map(({ result }) => result);
    const shown = (what: keyof Result, digits = 3): string => mean(own.map((one) => one[what])).toFixed(digits);
    print(
      `| ${arm} | ${own.length} | ${shown("updates", 1)} | ${shown("environmentSteps", 0)} | ${shown("start")} | ${shown("greedy")} | ${shown("alone")} | ${shown("searched")} |`,
    );
  }
  print();
  const pairs = of("siblings").flatMap(({ seed, result }) => {
    const base = of("wins").find((one) => one.seed === seed)?.result;
    return base === undefined ? [] : [{ base, own: result }];
  });
  if (pairs.length === 0) return;
  print(`- siblings minus wins, greedy: ${differenceWords(pairs.map(({ base, own }) => own.greedy - base.greedy))}`);
  print(`- siblings, with search minus greedy: ${differenceWords(pairs.map(({ own }) => own.searched - own.alone))}`);
  print(`- wins minus start: ${differenceWords(pairs.map(({ base }) => base.greedy - base.start))}`);
  print(`- siblings minus start: ${differenceWords(pairs.map(({ own }) => own.greedy - own.start))}`);
  print();
}

await runStudy<Result>({ name: "agent-q", arms: Object.keys(ARMS), run, report });
