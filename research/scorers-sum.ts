/** One table of what `research/scorers.ts` has measured: means over seeds with t-intervals, choices also by task. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { mean } from "../packages/base/src/base/statistics/summary.ts";
import { tInterval } from "limbeck/eval";
import type { ScorerCard } from "../packages/training/src/training/scorer/card.ts";

const write = (line = ""): void => void process.stdout.write(`${line}\n`);
const told = (differences: readonly number[]): string => {
  const { mean: centre, low, high } = tInterval(differences);
  return `${centre.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
};

interface Arm {
  readonly success: readonly number[];
  readonly calls: number;
}
interface Groups {
  readonly tokens: number;
  readonly solved: readonly number[];
  readonly variance: readonly number[];
}
interface Judged extends ScorerCard {
  /** Of the adapter, on tasks of its own. */
  readonly validLoss?: number;
}
interface Stored {
  readonly env: string;
  readonly seed: number;
  readonly states?: Judged;
  readonly adapter?: Judged;
  readonly search?: { readonly scorer: Arm; readonly former: Arm };
  readonly prune?: { readonly whole: Groups; readonly pruned: Groups };
}
interface Difference {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Seeds have tasks of their own: the mean of their means, and an interval put together from theirs (half widths over tasks,
 * as of a normal).
 */
function byTasks(each: readonly Difference[]): string {
  const centre = mean(each.map((one) => one.mean));
  const width = Math.hypot(...each.map(({ low, high }) => (high - low) / 2)) / each.length;
  return `${centre.toFixed(3)} (${(centre - width).toFixed(3)} to ${(centre + width).toFixed(3)})`;
}

function choices(
  title: string,
  each: readonly { by: Readonly<Record<string, number>>; beats: Readonly<Record<string, Difference>> }[],
): void {
  if (each.length === 0) return;
  const ways = Object.keys(each[0]?.by ?? {});
  write(
    `    ${title}: ${ways.map((way) => `${way} ${mean(each.map(({ by }) => by[way] ?? 0)).toFixed(3)}`).join(", ")}`,
  );
  for (const way of ways.filter((one) => one !== "scorer")) {
    const beats = each.flatMap((one) => one.beats[way] ?? []);
    write(`      against ${way}: by tasks ${byTasks(beats)}; by seeds ${told(beats.map((one) => one.mean))}`);
  }
}

export async function summed(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^[a-z]+-\d+(?:-[a-z]+)?\.json$/.test(name));
  const all = await Promise.all(
    names.map(async (name) => {
      const stored = JSON.parse(await readFile(join(folder, name), "utf8")) as Stored;
      // Those with other labels are a line of their own.
      return { ...stored, env: name.replace(/-\d+(-[a-z]+)?\.json$/, "$1") };
    }),
  );
  const minus = (left: readonly number[], right: readonly number[]): number[] =>
    left.map((value, at) => value - (right[at] as number));
  for (const env of new Set(all.map((one) => one.env))) {
    const runs = all.filter((one) => one.env === env).toSorted((left, right) => left.seed - right.seed);
    write(`${env}, seeds ${runs.map(({ seed }) => seed).join(", ")}`);
    for (const kind of ["adapter", "states"] as const) {
      const cards: readonly Judged[] = runs.flatMap((one) => one[kind] ?? []);
      if (cards.length === 0) continue;
      const average = (of: (card: ScorerCard["measures"]) => number | null): string =>
        told(cards.flatMap(({ measures }) => of(measures) ?? []));
      const learnt = cards.map((card) =>
        card.validLoss === undefined ? card.labels : `${card.labels} ${card.validLoss.toFixed(4)}`,
      );
      write(`  ${kind} (${cards.length}; ${learnt.join(", ")}), success ${average(({ success }) => success)}`);
      write(`    AUC ${average(({ auc }) => auc)}, on the way ${average(({ midAuc }) => midAuc)}`);
      write(
        `    calibration ${average(({ calibrationError }) => calibrationError)}, on the way ${average((one) => one.midCalibrationError)}`,
      );
      const ends = cards.map(({ measures }) => ({ by: measures.bestOf.at(-1)?.by ?? {}, beats: measures.beats }));
      choices("best of 8", ends);
      choices(
        "in the middle",
        cards.flatMap(({ measures }) => measures.half ?? []),
      );
    }
    const searches = runs.flatMap((one) => one.search ?? []).filter((one) => "scorer" in one);
    if (searches.length > 0) {
      const calls = (arm: "scorer" | "former"): number => searches.reduce((sum, one) => sum + one[arm].calls, 0);
      const success = (arm: "scorer" | "former"): number => mean(searches.flatMap((one) => one[arm].success));
      write(
        `  BAVT: scorer ${success("scorer").toFixed(3)} (${calls("scorer")} calls), former ${success("former").toFixed(3)} (${calls("former")} calls)`,
      );
      const differences = searches.map(({ scorer, former }) => minus(scorer.success, former.success));
      write(`    by tasks ${told(differences.flat())}; by seeds ${told(differences.map((own) => mean(own)))}`);
    }
    const prunes = runs.flatMap(({ prune }) => prune ?? []).filter((one) => "whole" in one);
    if (prunes.length > 0) {
      write(`  pruned: tokens ${told(prunes.map(({ whole, pruned }) => pruned.tokens / whole.tokens - 1))}`);
      write(`    solved ${told(prunes.flatMap(({ whole, pruned }) => minus(pruned.solved, whole.solved)))}`);
      write(`    variance ${told(prunes.flatMap(({ whole, pruned }) => minus(pruned.variance, whole.variance)))}`);
    }
    write();
  }
}
