/** How often 95% intervals of a mean cover, by method, sample size and distribution: the table of docs/lookup/evaluate.md. */
import { bootstrap, tInterval } from "limbeck/eval";
import { createRng, type Rng } from "limbeck";
import type { BootstrapMethod } from "../packages/base/src/base/statistics/bootstrap.ts";
import type { Interval } from "../packages/base/src/base/statistics/interval.ts";

const SIMULATIONS = 2_000;
const RESAMPLES = 1_000;

const worlds: readonly { readonly name: string; readonly truth: number; readonly draw: (rng: Rng) => number }[] = [
  { name: "normal", truth: 0, draw: (rng) => rng.normal() },
  { name: "exponential (skewed)", truth: 1, draw: (rng) => -Math.log(1 - rng.float()) },
  // Success of two policies on one task: 20% of the tasks won, 10% lost, the rest alike.
  { name: "−1, 0 or 1", truth: 0.1, draw: (rng) => outcome(rng.float()) },
];

const methods: Readonly<Record<string, (values: readonly number[], rng: Rng) => Interval>> = {
  t: (values) => tInterval(values),
  ...Object.fromEntries(
    (["expanded", "percentile", "bca", "studentised"] satisfies BootstrapMethod[]).map((method) => [
      method,
      (values: readonly number[], rng: Rng) => bootstrap(values, { rng, resamples: RESAMPLES, method }),
    ]),
  ),
};

const lines = [`| values | n | ${Object.keys(methods).join(" | ")} |`, `| --- | ---: |${" ---: |".repeat(5)}`];
for (const { name, truth, draw } of worlds) {
  for (const size of [3, 5, 10, 20]) {
    const rng = createRng(`coverage ${name} ${size}`);
    const hits = Object.fromEntries(Object.keys(methods).map((method) => [method, 0]));
    for (let simulation = 0; simulation < SIMULATIONS; simulation += 1) {
      const values = Array.from({ length: size }, () => draw(rng));
      for (const [method, interval] of Object.entries(methods)) {
        const { low, high } = interval(values, rng);
        if (low <= truth && truth <= high) hits[method] = (hits[method] ?? 0) + 1;
      }
    }
    const cells = Object.values(hits).map((count) => `${((count / SIMULATIONS) * 100).toFixed(1)}%`);
    lines.push(`| ${name} | ${size} | ${cells.join(" | ")} |`);
  }
}
process.stdout.write(`${lines.join("\n")}\n`);

function outcome(draw: number): number {
  if (draw < 0.2) return 1;
  return draw < 0.3 ? -1 : 0;
}
