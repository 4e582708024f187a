/**
 * Runs of one study that were made in parts, on several machines or one after the other, as one table: means, and
 * differences from an arm, paired by seed. Reads what `run.ts --lines FILE` wrote.
 *
 *     npx tsx research/proofs/pool.ts FILE FILE --against grpo
 */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { groupedBy } from "../../packages/base/src/base/grouped-by.ts";
import { hasInterval } from "../../packages/base/src/base/statistics/student-t.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { tInterval } from "limbeck/eval";

/** One run of one arm with one seed. */
export interface PooledRun {
  readonly study: string;
  readonly arm: string;
  readonly seed: number;
  /** Share of the final tasks that were solved; null where the run did not come to them. */
  readonly success: number | null;
  /** Under the curve of success over what the budget counts; null where there is no curve. */
  readonly area: number | null;
  readonly updates: number;
  readonly steps: number;
  /** Through models: sampled, learned from and read by the teacher. */
  readonly modelTokens: number;
  readonly teacherTokens: number;
  /** Means over the updates. */
  readonly metrics: Readonly<Record<string, number>>;
}

export function poolTable(runs: readonly PooledRun[], against: string, of: "success" | "area"): string[] {
  const byArm = new Map(
    groupedBy(
      runs.filter((run) => run[of] !== null),
      ({ arm }) => arm,
    ),
  );
  const valuesOf = (arm: string): ReadonlyMap<number, number> =>
    new Map((byArm.get(arm) ?? []).map((run) => [run.seed, run[of] as number]));
  const base = valuesOf(against);
  const lines = [...byArm].map(([arm, own]) => {
    const paired = [...valuesOf(arm)].flatMap(([seed, value]) => (base.has(seed) ? [value - (base.get(seed) as number)] : [])); // prettier-ignore
    const average = (name: "updates" | "steps" | "modelTokens" | "teacherTokens"): string =>
      mean(own.map((run) => run[name])).toFixed(0);
    const said = [...valuesOf(arm).values()];
    const over = arm === against || paired.length === 0 ? "" : differenceWords(paired);
    return `| ${arm} | ${said.length} | ${average("updates")} | ${average("steps")} | ${average("modelTokens")} | ${average("teacherTokens")} | ${mean(said).toFixed(3)} | ${over} |`;
  });
  return [
    `| arm | seeds | updates | steps | tokens through models | teacher's | ${of} | over ${against} |`,
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ...lines,
  ];
}

/** An interval (Student's t) from three pairs on. */
function differenceWords(paired: readonly number[]): string {
  const { mean: difference, low, high } = tInterval([...paired]);
  const shown = (value: number): string => value.toFixed(3).replace("-", "−");
  return hasInterval(paired.length) ? `${shown(difference)} [${shown(low)}, ${shown(high)}]` : shown(difference);
}

if (process.argv[1]?.endsWith("pool.ts") === true) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { against: { type: "string", default: "grpo" } },
  });
  const texts = await Promise.all(positionals.map((file) => readFile(file, "utf8")));
  const runs = texts
    .flatMap((text) => text.split("\n"))
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as PooledRun);
  for (const [study, own] of groupedBy(runs, (run) => run.study)) {
    for (const of of ["success", "area"] as const) {
      process.stdout.write(`\n## ${study}\n\n${poolTable(own, values.against, of).join("\n")}\n`);
    }
    for (const [arm, some] of groupedBy(own, (run) => run.arm)) {
      const names = [...new Set(some.flatMap(({ metrics }) => Object.keys(metrics)))];
      const said = names.map((name) => `${name} ${mean(some.flatMap(({ metrics }) => metrics[name] ?? [])).toFixed(3)}`); // prettier-ignore
      if (said.length > 0) process.stdout.write(`- ${arm}: ${said.join(", ")}\n`);
    }
  }
}
