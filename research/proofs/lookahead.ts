/**
 * ProAct: does the policy that has learnt from lookahead do without search what the start does with it?
 *
 *     npx tsx research/proofs/lookahead.ts --jobs 16
 *
 * Household, unseen tasks. The search is what the lessons come from: at every state other ways on in copies of the world, walked to the
 * end; here MCTS with the steps that a task costs in the training.
 */
import { join } from "node:path";
import { evaluate, train } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";

interface Result {
  readonly start: number;
  readonly searched: number;
  readonly distilled: number;
  readonly stepsOfTask: number;
}

async function run({ seed, quick, dir }: OneRun): Promise<Result> {
  const updates = quick ? 1 : 12;
  const { model, spent } = await train({
    env: "household",
    recipe: "lookahead",
    seed,
    steps: updates,
    settings: quick ? { tasks: 1, maxSteps: 2 } : { tasks: 4 },
    validation: { every: 0 },
    report: { tasks: 1 },
    threads: 1,
    keep: false,
    dir: join(dir, "distilled"),
  });
  const stepsOfTask = Math.round(spent.environmentSteps / (updates * (quick ? 1 : 4)));
  const how = {
    env: "household",
    split: "test",
    seed,
    threads: 1,
    answerTokens: 24,
    ...(quick ? { maxSteps: 2 } : {}),
  };
  const tasks = quick ? 1 : 100;
  const [start, distilled] = [
    await evaluate({ ...how, policy: "bundled", temperature: 0.4, tasks }),
    await evaluate({ ...how, policy: model, temperature: 0.4, tasks }),
  ];
  const searched = await evaluate({
    ...how,
    policy: "bundled",
    temperature: 1,
    tasks: quick ? 1 : 50,
    search: { search: "mcts", searchOptions: { iterations: 10_000 }, budget: { envSteps: stepsOfTask } },
  });
  const success = (of: { readonly success: number | null }): number => of.success ?? Number.NaN;
  return { start: success(start), searched: success(searched), distilled: success(distilled), stepsOfTask };
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  const all = (of: (one: Result) => number): string => mean(results.map(({ result }) => of(result))).toFixed(3);
  print("| seeds | start | start with search | distilled, without search | steps of a task |");
  print("| ---: | ---: | ---: | ---: | ---: |");
  print(
    `| ${results.length} | ${all(({ start }) => start)} | ${all(({ searched }) => searched)} | ${all(({ distilled }) => distilled)} | ${all(({ stepsOfTask }) => stepsOfTask)} |`,
  );
  print();
  print(`- distilled minus start: ${differenceWords(results.map(({ result }) => result.distilled - result.start))}`);
  print(
    `- distilled minus 0.9 of search: ${differenceWords(results.map(({ result }) => result.distilled - 0.9 * result.searched))}`,
  );
  print();
}

await runStudy<Result>({ name: "lookahead", arms: ["lookahead"], run, report });
