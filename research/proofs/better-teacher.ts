/**
 * Distillation from a teacher that is better, not told: the model that the demo trains (`npm start`: 20 updates of OPID in tiny
 * houses, seed 1) teaches the bundled one, of which it is the offspring, without any hint.
 *
 *     npx tsx research/proofs/better-teacher.ts --jobs 16        teacher: runs/demo/model, or TEACHER=FOLDER
 *
 * All arms have the same tasks and sizes: household tiny, 4 tasks by 8 episodes, 12 updates; `tcod` goes on until its teacher
 * has read as much as that of `opd` does on average. `opd` is what others are compared with, `raw` what `trd` is.
 */
import { join } from "node:path";
import { evaluate, train, type Trained } from "limbeck";
import { meanPassAtK } from "limbeck/eval";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { byTask } from "../../packages/base/src/trajectory/rows.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";

const UPDATES = 12;
/** What the teacher of `opd` reads in its updates (a pilot with seed 90). */
const TEACHER_TOKENS = 104_000;
const SHARED = { tasks: 4, group: 8, learningRate: 1e-4, teacher: "model", context: "none", guard: false } as const;
type Settings = Readonly<Record<string, number | string | boolean>>;

interface Arm {
  readonly recipe: string;
  readonly settings?: Settings;
  readonly teacherTokens?: number;
  /** Also tried so often with each task of small houses. */
  readonly tries?: number;
}
const TRIES = 32;
const ARMS: Readonly<Record<string, Arm>> = {
  opd: { recipe: "opd" },
  aopd: { recipe: "aopd" },
  tcod: { recipe: "tcod", settings: { curriculum: "front-to-back", period: 1 }, teacherTokens: TEACHER_TOKENS },
  raw: { recipe: "sdft", settings: { missing: "skip" } },
  trd: { recipe: "trd" },
  "opd tried": { recipe: "opd", tries: TRIES },
  "scope-a tried": { recipe: "scope-a", tries: TRIES },
};
const KS = [1, 4, 8, 16, 32] as const;
/** Turns of which the first half is early, the others late. */
const TURNS = 12;

interface Result {
  readonly before: number;
  readonly after: number;
  readonly updates: number;
  readonly environmentSteps: number;
  readonly teacherTokens: number;
  /** Means over the last three updates. */
  readonly entropy: number;
  readonly kl: readonly (number | null)[];
  readonly passed: readonly number[];
}

async function run({ arm, seed, quick, dir, split }: OneRun): Promise<Result> {
  const { recipe, settings, teacherTokens = Number.POSITIVE_INFINITY, tries } = ARMS[arm] as Arm;
  const all: Readonly<Record<string, number>>[] = [];
  const entropies: number[] = [];
  const read = (): number => all.reduce((sum, one) => sum + (one["context/teacherTokens"] ?? 0), 0);
  const trained = await train({
    env: "household",
    recipe,
    seed,
    steps: quick ? 1 : Number.isFinite(teacherTokens) ? 100 : UPDATES,
    enough: () => read() >= teacherTokens,
    settings: { ...SHARED, teacherSource: TEACHER, ...settings, ...(quick ? { tasks: 1, group: 2, maxSteps: 3 } : {}) },
    validation: { every: 0 },
    report: { tasks: quick ? 2 : 120, split },
    threads: 1,
    keep: false,
    dir: join(dir, "trained"),
    onEvent: (event) => {
      if (event.kind !== "update") return;
      all.push(event.metrics);
      entropies.push(event.entropy);
    },
  });
  const { before, after, update: updates, spent } = trained;
  const of = (end: Trained["after"]): number => end.success ?? Number.NaN;
  const ends = all.slice(-3);
  const last = (name: string): number | null => (ends.some((one) => one[name] !== undefined) ? mean(ends.flatMap((one) => one[name] ?? [])) : null); // prettier-ignore
  return {
    before: of(before),
    after: of(after),
    updates,
    environmentSteps: spent.environmentSteps,
    teacherTokens: read(),
    entropy: mean(entropies.slice(-3)),
    kl: Array.from({ length: TURNS }, (_, turn) => last(`turn/${turn}/kl`)),
    passed: tries === undefined ? [] : await passedBy(trained.model, { seed, quick, split, tries }),
  };
}

/** Share of tasks that one of so many tries solves, in houses that are larger than those of the training. */
async function passedBy(
  policy: string,
  { seed, quick, split, tries }: Pick<OneRun, "seed" | "quick" | "split"> & { readonly tries: number },
): Promise<readonly number[]> {
  const { trajectories } = await evaluate({
    env: "household",
    envOptions: { dial: "small" },
    policy,
    split,
    tasks: quick ? 1 : 12,
    samples: quick ? KS.length : tries,
    answerTokens: 24,
    temperature: 1,
    seed,
    threads: 1,
    ...(quick ? { maxSteps: 2 } : {}),
  });
  const tried = byTask(trajectories).map(({ trajectories: own }) => ({
    tries: own.length,
    solved: own.filter(({ success }) => success === true).length,
  }));
  return KS.filter((k) => !quick || k <= KS.length).map((k) => meanPassAtK(tried, k).mean);
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  const of = (arm: string) => results.filter((one) => one.arm === arm);
  print("| arm | seeds | updates | steps | teacher's tokens | before | after | entropy at the end |");
  print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const arm of Object.keys(ARMS)) {
    const own = of(arm).map(({ result }) => result);
    if (own.length === 0) continue;
    const shown = (what: "updates" | "environmentSteps" | "teacherTokens" | "before" | "after" | "entropy", digits = 0): string => mean(own.map((one) => one[what])).toFixed(digits); // prettier-ignore
    print(`| ${arm} | ${own.length} | ${shown("updates", 1)} | ${shown("environmentSteps")} | ${shown("teacherTokens")} | ${shown("before", 3)} | ${shown("after", 3)} | ${shown("entropy", 3)} |`); // prettier-ignore
  }
  print();
  const less = (arm: string, base: string, what: (result: Result) => number, name: string): void => {
    const differences = of(arm).flatMap(({ seed, result }) => {
      const other = of(base).find((one) => one.seed === seed)?.result;
      return other === undefined ? [] : [what(result) - what(other)];
    });
    if (differences.length > 0) print(`- ${arm} less ${base}, ${name}: ${differenceWords(differences)}`);
  };
  for (const arm of ["aopd", "tcod"]) less(arm, "opd", ({ after }) => after, "success");
  less("aopd", "opd", ({ entropy }) => entropy, "entropy");
  less("trd", "raw", ({ after }) => after, "success");
  for (const [at, k] of KS.entries()) less("scope-a tried", "opd tried", ({ passed }) => passed[at] ?? Number.NaN, `pass@${k}`); // prettier-ignore
  for (const arm of ["opd tried", "scope-a tried"]) {
    const own = of(arm).map(({ result }) => result.passed);
    if (own.length > 0) print(`- ${arm}: ${KS.map((k, at) => `pass@${k} ${mean(own.map((one) => one[at] ?? Number.NaN)).toFixed(3)}`).join(", ")}`); // prettier-ignore
  }
  const turns = of("tcod").map(({ result }) => result.kl);
  if (turns.length > 0) print(`- tcod, divergence by turn at the end: ${Array.from({ length: TURNS }, (_, turn) => mean(turns.flatMap((one) => one[turn] ?? [])).toFixed(3)).join(", ")}`); // prettier-ignore
  print();
}

const TEACHER = process.env["TEACHER"] ?? "runs/demo/model";
await runStudy<Result>({ name: "better-teacher", arms: Object.keys(ARMS), run, report });
