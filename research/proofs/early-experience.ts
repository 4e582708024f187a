/**
 * Early Experience: does it help, beyond cloning, to learn from what comes of one's own ideas at an expert's states?
 *
 *     npx tsx research/proofs/early-experience.ts --jobs 16
 *
 * All arms have the same expert set: the demonstrator's way through the same 40 tasks of household, seen three times. Then
 * GRPO goes on from each, on the same new tasks. Held-out success after each of the two.
 */
import { join } from "node:path";
import { train, type Trained } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";

const ARMS: Readonly<Record<string, { readonly worldModel: boolean; readonly reflection: boolean }>> = {
  cloning: { worldModel: false, reflection: false },
  "world-model": { worldModel: true, reflection: false },
  reflection: { worldModel: false, reflection: true },
};

interface Result {
  readonly start: number;
  readonly shown: number;
  readonly trained: number;
}

async function run({ arm, seed, quick, dir }: OneRun): Promise<Result> {
  const shared = {
    env: "household",
    seed,
    validation: { every: 0 },
    threads: 1,
  } as const;
  const report = { tasks: quick ? 2 : 200 };
  const first = await train({
    ...shared,
    recipe: "early-experience",
    steps: quick ? 1 : 15,
    settings: { ...ARMS[arm], tasks: quick ? 1 : 8, "tasks.pool": quick ? 1 : 40, ...(quick ? { maxSteps: 2 } : {}) },
    report,
    keep: false,
    dir: join(dir, "shown"),
  });
  const second = await train({
    ...shared,
    recipe: "grpo",
    model: first.model,
    steps: quick ? 1 : 6,
    settings: quick ? { tasks: 1, group: 2, maxSteps: 2 } : { tasks: 8, group: 8 },
    report,
    keep: false,
    dir: join(dir, "trained"),
  });
  const success = (of: Trained["after"]): number => of.success ?? Number.NaN;
  return {
    start: success(first.before),
    shown: success(first.after),
    trained: success(second.after),
  };
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  print("| arm | seeds | start | after the expert set | after GRPO from there |");
  print("| --- | ---: | ---: | ---: | ---: |");
  const of = (arm: string) => results.filter((one) => one.arm === arm);
  for (const arm of Object.keys(ARMS)) {
    const own = of(arm).map(({ result }) => result);
    const shown = (what: "start" | "shown" | "trained"): string => mean(own.map((one) => one[what])).toFixed(3);
    print(`| ${arm} | ${own.length} | ${shown("start")} | ${shown("shown")} | ${shown("trained")} |`);
  }
  print();
  for (const arm of Object.keys(ARMS).slice(1)) {
    for (const what of ["shown", "trained"] as const) {
      const differences = of(arm).flatMap(({ seed, result }) => {
        const base = of("cloning").find((one) => one.seed === seed);
        return base === undefined ? [] : [result[what] - base.result[what]];
      });
      if (differences.length > 0) print(`- ${arm} minus cloning, ${what}: ${differenceWords(differences)}`);
    }
  }
  print();
}

await runStudy<Result>({ name: "early-experience", arms: Object.keys(ARMS), run, report });
