/**
 * VG-GRPO at a crossing: how many seeds learn to collide with GRPO, with VG-GRPO, and with the gates of VG-GRPO given to
 * groups by lot. The share of scenes where two agents meet goes from rare to common.
 *
 *     npx tsx research/proofs/crossing.ts                    seeds 531 to 730
 *     npx tsx research/proofs/crossing.ts --first 1 --count 9
 */
import { parseArgs } from "node:util";
import { boundedDifference } from "../../packages/base/src/base/statistics/share.ts";
import { tInterval } from "../../packages/base/src/base/statistics/student-t.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { creditings, learnCrossing } from "./crossing-world.ts";

const { values } = parseArgs({
  options: { first: { type: "string", default: "531" }, count: { type: "string", default: "200" } },
});
const SHARES = [0.01, 0.02, 0.05, 0.1, 0.5];
const RATE = 0.1;
/** As safe as the agents are before they learn. */
const START = 0.25;
const seeds = Array.from({ length: Number(values.count) }, (_, at) => Number(values.first) + at);

type Ends = readonly number[];
type Bounds = { readonly low: number; readonly high: number };

const shown = (centre: number, { low, high }: Bounds): string =>
  `${centre.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`.replaceAll("-", "−");
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** How many more seeds of the first end below that. */
function moreBelow(bound: number, left: Ends, right: Ends): string {
  const own = boundedDifference(left.map((end, at) => Number(end < bound) - Number((right[at] as number) < bound)));
  return shown(own.difference, own);
}

function safer(left: Ends, right: Ends): string {
  const own = tInterval(left.map((end, at) => end - (right[at] as number)));
  return shown(own.mean, own);
}

print(`${seeds.length} paired seeds, ${seeds[0]} to ${seeds.at(-1)}.\n`);
print(
  "| meetings | end below the start: GRPO, VG-GRPO, by lot | GRPO less VG-GRPO | below one half, GRPO less VG-GRPO | safety in the end | VG-GRPO less GRPO | VG-GRPO less by lot |",
);
print("| ---: | --- | --- | --- | --- | --- | --- |");
for (const meetings of SHARES) {
  const endsOf = (name: keyof typeof creditings): Ends =>
    seeds.map((seed) => learnCrossing(creditings[name], { rate: RATE, meetings, seed }).end);
  const [plain, gated, lots] = [endsOf("grpo"), endsOf("vg-grpo"), endsOf("by lot")] as const;
  const all = [plain, gated, lots];
  const cells = [
    meetings,
    all.map((ends) => ends.filter((end) => end < START).length).join(", "),
    moreBelow(START, plain, gated),
    moreBelow(0.5, plain, gated),
    all.map((ends) => mean(ends).toFixed(3)).join(", "),
    safer(gated, plain),
    safer(gated, lots),
  ];
  print(`| ${cells.join(" | ")} |`);
}
