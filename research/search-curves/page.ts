/** The tables of the search study, from the lines that are there. */
import { bootstrap, wilson } from "limbeck/eval";
import { createRng } from "limbeck";
import { mean, sum } from "../../packages/base/src/base/statistics/summary.ts";
import type { CurveLine, CurvePoint } from "./line.ts";

type Print = (line: string) => void;

export function printWorld(world: string, lines: readonly CurveLine[], print: Print): void {
  const [first] = lines;
  if (first === undefined) return;
  const greedy = lines.find(({ method }) => method === "greedy")?.points[0];
  const searched = lines
    .filter(({ method }) => method !== "greedy")
    .toSorted((left, right) => area(right) - area(left));
  const multiples = [...new Set(searched.flatMap(({ points }) => points.map(({ multiple }) => multiple)))];
  multiples.sort((left, right) => left - right);
  print(
    `### ${world}\n\n${first.tasks} tasks; the policy is ${first.policy}. ${greedy === undefined ? "" : `One episode without search solves ${percent(greedy)}; it takes ${first.greedyCalls} model call${first.greedyCalls === 1 ? "" : "s"}, the mean rounded up, which is ×1. `}Success in per cent with its 95% Wilson interval; *blind* ones never see an outcome; *enough*: the smallest budget that ×${multiples.at(-1)} cannot be told apart from.\n`,
  );
  const head = [...multiples.map((multiple) => `×${multiple}`), `calls at ×${multiples.at(-1)}`, "enough"];
  print(`| search | ${head.join(" | ")} |`);
  print(`| --- |${" ---: |".repeat(head.length)}`);
  for (const line of searched) {
    const cells = multiples.map((multiple) => percent(at(line, multiple)));
    const end = at(line, multiples.at(-1) ?? 1);
    const more = end === undefined ? ["", ""] : [mean(end.calls).toFixed(0), enough(line)];
    print(`| \`${line.method}\`${line.seesOutcome ? "" : " (*blind*)"} | ${[...cells, ...more].join(" | ")} |`);
  }
  print("");
  const [seeing, blind] = [searched.filter(({ seesOutcome }) => seesOutcome), searched.filter(isBlind)];
  const sampling = searched.find(({ method }) => method === "best-of-n");
  printBest("Best with outcomes in view", seeing, multiples, print, (multiple) => sampling && at(sampling, multiple));
  printBest("Best blind", blind, multiples, print, () => greedy);
}

/** Which are best at which budget, and by how much against something they should beat. */
function printBest(
  title: string,
  lines: readonly CurveLine[],
  multiples: readonly number[],
  print: Print,
  against: (multiple: number) => CurvePoint | undefined,
): void {
  if (lines.length === 0) return;
  const says = multiples.map((multiple) => {
    const top = Math.max(...lines.map((line) => share(at(line, multiple))));
    const best = lines.filter((line) => share(at(line, multiple)) === top);
    const [one, other] = [best[0] && at(best[0], multiple), against(multiple)];
    const difference = one === undefined || other === undefined || one === other ? "" : ` (${points(one, other)})`;
    return `×${multiple} ${named(best)} ${(100 * top).toFixed(0)}${difference}`;
  });
  const base = title === "Best blind" ? "the policy without search" : "`best-of-n`";
  print(`${title}, in brackets its distance to ${base}: ${says.join("; ")}.\n`);
}

function named(lines: readonly CurveLine[]): string {
  const names = lines.slice(0, 2).map(({ method }) => `\`${method}\``);
  return lines.length > 2 ? `${names.join(", ")} and ${lines.length - 2} more` : names.join(", ");
}

/** More budget than this brings nothing that these tasks can tell. */
function enough({ points: all }: CurveLine): string {
  const end = all.at(-1);
  return `×${all.find((point) => end !== undefined && interval(end, point).low <= 0)?.multiple ?? "?"}`;
}

/** Difference in points with its interval, over the same tasks. */
function points(left: CurvePoint, right: CurvePoint): string {
  const { low, high } = interval(left, right);
  return `${signed(share(left) - share(right))} [${signed(low)}, ${signed(high)}]`;
}

function interval(left: CurvePoint, right: CurvePoint): { readonly low: number; readonly high: number } {
  const differences = left.solved.map((solved, task) => solved - (right.solved[task] ?? 0));
  if (differences.every((difference) => difference === differences[0])) {
    return { low: differences[0] ?? 0, high: differences[0] ?? 0 };
  }
  return bootstrap(differences, { rng: createRng(`${left.multiple} ${right.multiple} ${differences.join("")}`) });
}

/** What exploring costs in worlds where things cannot be undone. */
export function printHarm(lines: readonly CurveLine[], print: Print): void {
  const worlds = [...new Set(lines.map(({ world }) => world))].filter((world) => world === "shop" || world === "tools");
  if (worlds.length === 0) return;
  print("### Irreversible actions while exploring\n");
  print(
    "Actions that nothing takes back (buying; cancelling, returning, exchanging, handing over), carried out beside the line that is acted on, in all tasks and at all budgets together; in brackets at the largest budget, a task.\n",
  );
  print(`| search | ${worlds.join(" | ")} |`);
  print(`| --- |${" ---: |".repeat(worlds.length)}`);
  for (const method of [...new Set(lines.map((line) => line.method))].filter((name) => name !== "greedy").sort()) {
    const cells = worlds.map((world) => {
      const line = lines.find((one) => one.world === world && one.method === method);
      if (line === undefined) return "";
      const end = line.points.at(-1);
      return `${sum(line.points.flatMap(({ harm }) => harm))} (${mean(end?.harm ?? [0]).toFixed(1)})`;
    });
    if (cells.some((cell) => cell !== "")) print(`| \`${method}\` | ${cells.join(" | ")} |`);
  }
  print("");
}

/** Full budgets of the comparison with a quarter of them. */
const FULL: readonly number[] = [16, 64];

/** BAVT at a quarter of the budget against plain sampling at all of it. */
export function printQuarter(lines: readonly CurveLine[], print: Print): void {
  const rows = [...new Set(lines.map(({ world }) => world))].flatMap((world) => {
    const bavt = lines.find((line) => line.world === world && line.method === "bavt");
    return ["best-of-n", "majority-vote"].flatMap((method) => {
      const base = lines.find((line) => line.world === world && line.method === method);
      return (base?.points ?? []).flatMap((full) => {
        const quarter = FULL.includes(full.multiple) ? bavt && at(bavt, full.multiple / 4) : undefined;
        if (quarter === undefined) return [];
        return [`| ${world} | \`${method}\` | ×${quarter.multiple} against ×${full.multiple} | ${percent(quarter)} | ${percent(full)} | ${points(quarter, full)} |`]; // prettier-ignore
      });
    });
  });
  if (rows.length === 0) return;
  print("### BAVT at a quarter of the budget against plain sampling at all of it\n");
  print(
    "| world | sampling | budgets | BAVT | sampling | difference in points |\n| --- | --- | --- | ---: | ---: | ---: |",
  );
  for (const row of rows) print(row);
  print("");
}

function at({ points: all }: CurveLine, multiple: number): CurvePoint | undefined {
  return all.find((point) => point.multiple === multiple);
}

function isBlind({ seesOutcome }: CurveLine): boolean {
  return !seesOutcome;
}

function share(point: CurvePoint | undefined): number {
  return point === undefined ? 0 : mean(point.solved);
}

/** The mean over all budgets: who is best on the whole. */
function area({ points: all }: CurveLine): number {
  return mean(all.map(share));
}

function percent(point: CurvePoint | undefined): string {
  if (point === undefined) return "";
  const { low, high } = wilson(sum(point.solved), point.solved.length);
  return `${(100 * share(point)).toFixed(0)} [${(100 * low).toFixed(0)}, ${(100 * high).toFixed(0)}]`;
}

function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(100 * value).toFixed(0)}`;
}
