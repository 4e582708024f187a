/**
 * RebuttalAgent where the profile is inferred by a reader that learns: beside a profile by lot, the rule, and a judge that
 * reads the same answers and topics without a profile.
 *
 *     npx tsx research/proofs/rebuttal-profiles.ts                  seeds 531 to 535
 *     npx tsx research/proofs/rebuttal-profiles.ts --seeds 1,2
 */
import { parseArgs } from "node:util";
import { tInterval } from "../../packages/base/src/base/statistics/student-t.ts";
import { runJudging } from "../../packages/training/src/training/judge/registry.ts";

const { values } = parseArgs({ options: { seeds: { type: "string", default: "531,532,533,534,535" } } });
const seeds = values.seeds.split(",").map(Number);
const PROFILES = ["learnt", "lot", "rule"] as const;

const runs: Record<string, number>[] = [];
for (const seed of seeds) {
  const figures: Record<string, number> = {};
  for (const profile of PROFILES) {
    const { withType, withoutType, direct, correlation, named } = await runJudging("rebuttal", { profile }, seed);
    Object.assign(figures, { [profile]: withType, [`agrees, ${profile}`]: correlation, [`named, ${profile}`]: named });
    Object.assign(figures, { direct, without: withoutType });
  }
  runs.push(figures);
}

function row(title: string, figures: readonly number[]): void {
  const { mean, low, high } = tInterval(figures);
  const bySeed = figures.map((one) => one.toFixed(3)).join(", ");
  const line = `| ${title} | ${mean.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}] | ${bySeed} |\n`;
  process.stdout.write(line.replaceAll("-", "−"));
}

process.stdout.write(`${seeds.length} seeds: ${seeds.join(", ")}\n\n| | mean | by seed |\n| --- | --- | --- |\n`);
const of = (name: string): number[] => runs.map((one) => one[name] as number);
for (const name of Object.keys(runs[0] ?? {})) row(name, of(name));
for (const [left, right] of [
  ["learnt", "lot"],
  ["learnt", "direct"],
  ["rule", "direct"],
  ["agrees, learnt", "agrees, lot"],
] as const) {
  row(
    `${left} less ${right}`,
    runs.map((one) => (one[left] as number) - (one[right] as number)),
  );
}
