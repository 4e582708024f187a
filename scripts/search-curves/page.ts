/** The tables of the search study, from the lines that are there. */
import { bootstrap, createRng, mean, sum, wilson } from "../../src/base/index.ts";
import type { CurveLine, CurvePoint } from "./line.ts";

type Print = (line: string) => void;

export function printWorld(world: string, lines: readonly CurveLine[], print: Print): void {
  const [first] = lines;
  if (first === undefined) return;
  const plain = lines.find(({ method }) => method === "plain");
  const searched = lines.filter(({ method }) => method !== "plain").toSorted((left, right) => last(right) - last(left));
  const multiples = [...new Set(searched.flatMap(({ points }) => points.map(({ multiple }) => multiple)))];
  multiples.sort((left, right) => left - right);
  print(
    `### ${world}\n\n${first.tasks.length} tasks, the same for all; the policy is ${first.policy}. One episode takes it ${first.greedyCalls} model calls${plain === undefined ? "" : ` and solves ${percent(plain.points[0])}`}. Success in per cent with its 95% Wilson interval, by budget in multiples of that cost; *blind* ones never see an outcome.\n`,
  );
  print(`| search | ${multiples.map((multiple) => `×${multiple}`).join(" | ")} | calls at ×${multiples.at(-1)} |`);
  print(`| --- |${" ---: |".repeat(multiples.length + 1)}`);
  for (const { method, points, seesOutcome } of searched) {
    const cells = multiples.map((multiple) => percent(points.find((point) => point.multiple === multiple)));
    print(`| \`${method}\`${seesOutcome ? "" : " (*blind*)"} | ${cells.join(" | ")} | ${calls(points.at(-1))} |`);
  }
  print("");
  printBest(searched, multiples, print);
}

/** Which is best at which budget, against plain sampling, and where more budget brings nothing that can be told. */
function printBest(lines: readonly CurveLine[], multiples: readonly number[], print: Print): void {
  const base = lines.find(({ method }) => method === "best-of-n");
  const says = multiples.map((multiple) => {
    const best = lines.toSorted((left, right) => share(at(right, multiple)) - share(at(left, multiple)))[0];
    const against =
      base === undefined || best === undefined || best === base ? "" : `, ${compared(best, base, multiple)}`;
    return `×${multiple}: \`${best?.method}\` ${(100 * share(best && at(best, multiple))).toFixed(0)}%${against}`;
  });
  print(`Best: ${says.join("; ")}.\n`);
  const stops = lines.map((line) => {
    const end = line.points.at(-1);
    const enough = line.points.find((point) => end !== undefined && interval(end, point).low <= 0);
    return `\`${line.method}\` ×${enough?.multiple ?? "?"}`;
  });
  print(`The smallest budget from which the largest cannot be told apart (paired bootstrap): ${stops.join(", ")}.\n`);
}

function compared(left: CurveLine, right: CurveLine, multiple: number): string {
  const [one, other] = [at(left, multiple), at(right, multiple)];
  if (one === undefined || other === undefined) return "not compared";
  return `${points(one, other)} against \`${right.method}\``;
}

/** Difference in points with its interval, over the same tasks. */
function points(left: CurvePoint, right: CurvePoint): string {
  const { low, high } = interval(left, right);
  const difference = share(left) - share(right);
  return `${signed(difference)} points [${signed(low)}, ${signed(high)}]`;
}

function interval(left: CurvePoint, right: CurvePoint): { readonly low: number; readonly high: number } {
  const differences = left.solved.map((solved, task) => Number(solved) - Number(right.solved[task] ?? false));
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
  for (const method of [...new Set(lines.map((line) => line.method))].filter((name) => name !== "plain").sort()) {
    const cells = worlds.map((world) => {
      const line = lines.find((one) => one.world === world && one.method === method);
      if (line === undefined) return "";
      const end = line.points.at(-1);
      return `${sum(line.points.flatMap(({ harm }) => harm))} (${mean(end?.harm ?? [0]).toFixed(1)})`;
    });
    print(`| \`${method}\` | ${cells.join(" | ")} |`);
  }
  print("");
}

/** BAVT at a quarter of the budget against plain sampling at all of it. */
export function printQuarter(lines: readonly CurveLine[], print: Print): void {
  const rows = [...new Set(lines.map(({ world }) => world))].flatMap((world) => {
    const bavt = lines.find((line) => line.world === world && line.method === "bavt");
    return ["best-of-n", "majority-vote"].flatMap((method) => {
      const base = lines.find((line) => line.world === world && line.method === method);
      return (base?.points ?? []).flatMap((full) => {
        const quarter = bavt && at(bavt, full.multiple / 4);
        if (quarter === undefined) return [];
        return [`| ${world} | \`${method}\` | ×${quarter.multiple} against ×${full.multiple} | ${percent(quarter)} | ${percent(full)} | ${points(quarter, full)} |`]; // prettier-ignore
      });
    });
  });
  if (rows.length === 0) return;
  print("### BAVT at a quarter of the budget against plain sampling at all of it\n");
  print("| world | against | budgets | BAVT | sampling | difference |\n| --- | --- | --- | ---: | ---: | ---: |");
  for (const row of rows) print(row);
  print("");
}

function at({ points: all }: CurveLine, multiple: number): CurvePoint | undefined {
  return all.find((point) => point.multiple === multiple);
}

export function share(point: CurvePoint | undefined): number {
  return point === undefined ? 0 : point.solved.filter(Boolean).length / Math.max(1, point.solved.length);
}

function last({ points: all }: CurveLine): number {
  return share(all.at(-1));
}

function percent(point: CurvePoint | undefined): string {
  if (point === undefined) return "";
  const { low, high } = wilson(point.solved.filter(Boolean).length, point.solved.length);
  return `${(100 * share(point)).toFixed(0)} [${(100 * low).toFixed(0)}, ${(100 * high).toFixed(0)}]`;
}

function calls(point: CurvePoint | undefined): string {
  return point === undefined ? "" : mean(point.calls).toFixed(0);
}

function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(100 * value).toFixed(0)}`;
}
