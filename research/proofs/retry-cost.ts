/**
 * R3L: environment steps for each success, retries from the pivot against fresh rollouts, on the same tasks. Nothing is trained.
 *
 *     npx tsx research/proofs/retry-cost.ts --jobs 16
 */
import { rollout } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";

const ARMS = ["fresh", "retry"];

interface Result {
  readonly steps: number;
  readonly solved: number;
  readonly episodes: number;
}

async function run({ arm, seed, quick }: OneRun): Promise<Result> {
  const { trajectories } = await rollout({
    env: "household",
    strategy: arm === "retry" ? "retry" : "group",
    group: quick ? 2 : 8,
    tasks: quick ? 1 : 32,
    ...(quick ? { maxSteps: 3 } : {}),
    split: "train",
    offset: seed * 1_000,
    seed,
    threads: 1,
  });
  return {
    // A branch holds only the steps that it took itself; those before the pivot are its parent's.
    steps: trajectories.reduce((total, { steps }) => total + steps.length, 0),
    solved: trajectories.filter(({ success }) => success === true).length,
    episodes: trajectories.length,
  };
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  const cost = ({ steps, solved }: Result): number => steps / Math.max(1, solved);
  print("| arm | seeds | episodes | solved | environment steps | steps for each success |");
  print("| --- | ---: | ---: | ---: | ---: | ---: |");
  const of = (arm: string) => results.filter((one) => one.arm === arm);
  for (const arm of ARMS) {
    const own = of(arm).map(({ result }) => result);
    const all = (value: (one: Result) => number): string => mean(own.map(value)).toFixed(1);
    print(
      `| ${arm} | ${own.length} | ${all(({ episodes }) => episodes)} | ${all(({ solved }) => solved)} | ${all(({ steps }) => steps)} | ${all(cost)} |`,
    );
  }
  print();
  const differences = of("retry").flatMap(({ seed, result }) => {
    const base = of("fresh").find((one) => one.seed === seed)?.result;
    return base === undefined ? [] : [cost(result) - cost(base)];
  });
  if (differences.length > 0) print(`- steps for each success, retry minus fresh: ${differenceWords(differences)}`);
  print();
}

await runStudy<Result>({ name: "retry-cost", arms: ARMS, run, report });
