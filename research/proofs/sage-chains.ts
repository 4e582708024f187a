/**
 * SAGE: are skills used more often as the training goes on, and are the later tasks of chains shorter than without a library?
 *
 *     npx tsx research/proofs/sage-chains.ts --jobs 16
 *
 * Household, 16 tasks that come back. Both arms play the same chains of two; "plain" has no library: nobody writes a skill
 * there, so that the reward of a chain is the outcome alone, which is GRPO.
 */
import { join } from "node:path";
import { train, type TrainEvent } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";

const UPDATES = 16;
const ARMS = {
  plain: { "strategy.write": "agent" },
  sage: {},
} as const;

interface Point {
  readonly update: number;
  readonly reuse: number | null;
  readonly offered: number;
  readonly steps: number;
  readonly tokens: number;
  readonly solved: number;
}

interface Result {
  readonly before: number;
  readonly after: number;
  readonly points: readonly Point[];
}

async function run({ arm, seed, quick, dir }: OneRun): Promise<Result> {
  const points: Point[] = [];
  const onEvent = (event: TrainEvent): void => {
    if (event.kind !== "update") return;
    const { update, metrics } = event;
    points.push({
      update,
      reuse: metrics["chain/reuseRate"] ?? null,
      offered: metrics["chain/offered"] ?? 0,
      steps: metrics["chain/laterSteps"] ?? Number.NaN,
      tokens: metrics["chain/laterTokens"] ?? Number.NaN,
      solved: metrics["chain/laterSolved"] ?? Number.NaN,
    });
  };
  const { before, after } = await train({
    env: "household",
    recipe: "sage",
    seed,
    steps: quick ? 1 : UPDATES,
    settings: {
      ...ARMS[arm as keyof typeof ARMS],
      ...(quick ? { tasks: 2, group: 2, maxSteps: 2 } : { tasks: 8, group: 8, "tasks.pool": 16 }),
    },
    validation: { every: 0 },
    report: { tasks: quick ? 2 : 100 },
    threads: 1,
    keep: false,
    dir: join(dir, "chains"),
    onEvent,
  });
  return { before: before.success ?? Number.NaN, after: after.success ?? Number.NaN, points };
}

const PART = 4;
const first = ({ points }: Result): readonly Point[] => points.slice(0, PART);
const last = ({ points }: Result): readonly Point[] => points.slice(-PART);
const reuse = (points: readonly Point[]): number => {
  const offered = points.reduce((sum, point) => sum + point.offered, 0);
  return points.reduce((sum, point) => sum + (point.reuse ?? 0) * point.offered, 0) / Math.max(1, offered);
};

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  print(
    "| arm | seeds | held-out, before and after | reuse, first and last 4 updates | later tasks of the last 4: steps, tokens, solved |",
  );
  print("| --- | ---: | ---: | ---: | ---: |");
  const of = (arm: string) => results.filter((one) => one.arm === arm);
  for (const arm of Object.keys(ARMS)) {
    const own = of(arm).map(({ result }) => result);
    const all = (value: (one: Result) => number, digits = 3): string => mean(own.map(value)).toFixed(digits);
    const late = (what: "steps" | "tokens" | "solved", digits: number): string =>
      all((one) => mean(last(one).map((point) => point[what])), digits);
    print(
      `| ${arm} | ${own.length} | ${all(({ before }) => before)} to ${all(({ after }) => after)} | ${all((one) => reuse(first(one)))} to ${all((one) => reuse(last(one)))} | ${late("steps", 2)}, ${late("tokens", 1)}, ${late("solved", 3)} |`,
    );
  }
  print();
  const skilled = of("sage");
  if (skilled.length === 0) return;
  print(
    `- reuse, last minus first: ${differenceWords(skilled.map(({ result }) => reuse(last(result)) - reuse(first(result))))}`,
  );
  for (const what of ["steps", "tokens", "solved"] as const) {
    const differences = skilled.flatMap(({ seed, result }) => {
      const base = of("plain").find((one) => one.seed === seed)?.result;
      const late = (own: Result): number => mean(last(own).map((point) => point[what]));
      return base === undefined ? [] : [late(result) - late(base)];
    });
    if (differences.length > 0) print(`- later tasks, ${what}, sage minus plain: ${differenceWords(differences)}`);
  }
  const held = skilled.flatMap(({ seed, result }) => {
    const base = of("plain").find((one) => one.seed === seed)?.result;
    return base === undefined ? [] : [result.after - base.after];
  });
  if (held.length > 0) print(`- held-out success, sage minus plain: ${differenceWords(held)}`);
  print();
}

await runStudy<Result>({ name: "sage-chains", arms: Object.keys(ARMS), run, report });
