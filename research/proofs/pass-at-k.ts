/**
 * SCOPE: pass@k of the trained models against uniform on-policy distillation, at equal environment steps.
 *
 *     npx tsx research/proofs/pass-at-k.ts --jobs 16
 *
 * Household, 8,000 steps in groups of 8 for 8 tasks; then 8 episodes of each of 100 test tasks at temperature 1.
 */
import { join } from "node:path";
import { evaluate, train } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { meanPassAtK } from "limbeck/eval";
import { byTask } from "../../packages/base/src/trajectory/rows.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";

const STEPS = 8_000;
const SAMPLES = 8;
const KS = [1, 2, 4, 8] as const;

interface Result {
  /** Mean over the tasks, for each of `KS`. */
  readonly passed: readonly number[];
  readonly updates: number;
  readonly environmentSteps: number;
}

async function run({ arm, seed, quick, dir }: OneRun): Promise<Result> {
  const trained = await train({
    recipe: arm,
    seed,
    steps: quick ? 1 : 1_000,
    settings: quick ? { tasks: 1, group: 2, maxSteps: 2 } : { tasks: 8, group: 8 },
    enough: ({ environmentSteps }) => environmentSteps >= STEPS,
    validation: { every: 0 },
    report: { tasks: 1 },
    threads: 1,
    keep: false,
    dir: join(dir, "trained"),
  });
  const { trajectories } = await evaluate({
    envOptions: { dial: "tiny" },
    policy: trained.model,
    split: "test",
    tasks: quick ? 2 : 100,
    samples: SAMPLES,
    answerTokens: 24,
    temperature: 1,
    seed,
    threads: 1,
  });
  const tries = byTask(trajectories).map(({ trajectories: own }) => ({
    tries: own.length,
    solved: own.filter(({ success }) => success === true).length,
  }));
  const { update: updates, spent } = trained;
  return { passed: KS.map((k) => meanPassAtK(tries, k).mean), updates, environmentSteps: spent.environmentSteps };
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  const of = (arm: string): readonly Reported<Result>[] => results.filter((one) => one.arm === arm);
  print("| arm | updates | pass@1 | pass@2 | pass@4 | pass@8 |");
  print("| --- | ---: | ---: | ---: | ---: | ---: |");
  for (const arm of ["opd", "scope-a"]) {
    if (of(arm).length === 0) continue;
    const shares = KS.map((_, at) => mean(of(arm).map(({ result }) => result.passed[at] as number)).toFixed(3));
    print(`| ${arm} | ${mean(of(arm).map(({ result }) => result.updates)).toFixed(0)} | ${shares.join(" | ")} |`);
  }
  print();
  for (const [at, k] of KS.entries()) {
    const differences = of("scope-a").flatMap(({ seed, result }) => {
      const plain = of("opd").find((one) => one.seed === seed)?.result;
      return plain === undefined ? [] : [(result.passed[at] as number) - (plain.passed[at] as number)];
    });
    if (differences.length > 0) print(`- pass@${k}, scope-a minus opd: ${differenceWords(differences)}`);
  }
  print();
}

await runStudy<Result>({ name: "pass-at-k", arms: ["opd", "scope-a"], run, report });
