/** The table of a world, and the differences that its rows are about. */
import { bootstrap } from "limbeck/eval";
import { createRng } from "limbeck";
import { mean, sum } from "../../../packages/base/src/base/statistics/summary.ts";
import { shown } from "../../shown.ts";
import type { Outcome } from "./measure.ts";
import type { World } from "./worlds.ts";

const COLUMNS = {
  tokens: ({ tokens }) => tokens,
  "tokens a leaf": ({ tokens, leaves }) => tokens / leaves,
  leaves: ({ leaves }) => leaves,
  success: ({ success }) => success,
  "distinct answers": ({ answers }) => answers,
  "distinct episodes": ({ episodes }) => episodes,
  "edit distance": ({ distance }) => distance,
  "groups alike": ({ flat }) => flat,
  solutions: ({ solutions }) => solutions,
  "solutions in 1,000 tokens": ({ solutions, tokens }) => (1_000 * solutions) / tokens,
} as const satisfies Readonly<Record<string, (outcome: Outcome) => number>>;

export function report(
  world: World,
  found: ReadonlyMap<string, readonly Outcome[]>,
  print: (line: string) => void,
): void {
  const [base] = world.arms;
  const seeds = found.get(base.name)?.length ?? 0;
  print(`### ${world.name}: ${seeds} seeds of ${world.tasks} tasks\n`);
  print(`| strategy | ${Object.keys(COLUMNS).join(" | ")} | searches in order |`);
  print(`| --- |${" ---: |".repeat(Object.keys(COLUMNS).length + 1)}`);
  for (const [name, own] of found) {
    const cells = Object.values(COLUMNS).map((column) => mean(own.map(column)).toFixed(3));
    print(`| ${name} | ${cells.join(" | ")} | ${orderedWords(own)} |`);
  }
  print(`\nDifferences from \`group\`, paired by seed, 95% bootstrap intervals:\n`);
  for (const [name, own] of found) if (name !== base.name) print(differences(name, own, found.get(base.name) ?? []));
  const [rose, entropy] = [found.get("rose"), found.get("rose by token entropy")];
  if (rose !== undefined && entropy !== undefined) print(differences("rose - rose by token entropy", rose, entropy));
  const [hot, cold] = [found.get("tree, temperature by depth"), found.get("tree")];
  if (hot !== undefined && cold !== undefined) print(differences("temperature by depth - tree", hot, cold));
  const alone = found.get("independent, temperature by depth");
  if (hot !== undefined && alone !== undefined)
    print(differences("tree, temperature by depth - independent, temperature by depth", hot, alone));
  print("");
}

function differences(name: string, own: readonly Outcome[], base: readonly Outcome[]): string {
  const rng = createRng(name);
  const told = Object.entries(COLUMNS).map(([title, column]) => {
    const values = own.map((one, at) => column(one) - column(base[at] as Outcome));
    return `${title} ${shown(mean(values), bootstrap(values, { rng: rng.split(title) }), 3)}`;
  });
  const saved = own.map((one, at) => 1 - one.tokens / one.leaves / ((base[at] as Outcome).tokens / (base[at] as Outcome).leaves)); // prettier-ignore
  return `- ${name}: tokens saved by leaf ${shown(100 * mean(saved), bootstrap(saved.map((one) => 100 * one), { rng: rng.split("saved") }), 1)}%; ${told.join("; ")}`; // prettier-ignore
}

/** The share over all seeds; the interval is over seeds. */
function orderedWords(own: readonly Outcome[]): string {
  const asked = own.filter(({ pairs }) => pairs > 0);
  if (asked.length === 0) return "";
  const pairs = sum(asked.map((one) => one.pairs));
  const all = sum(asked.map((one) => one.ordered)) / pairs;
  const shares = asked.map((one) => one.ordered / one.pairs);
  return `${shown(all, bootstrap(shares, { rng: createRng("ordered") }), 3)} of ${pairs} pairs`;
}
