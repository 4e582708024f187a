/**
 * Critics of bookings that the bundled model of the ledger makes: MultiCritique and ReAgent-V, each beside its control.
 *
 *     npx tsx research/proofs/judges-of-model.ts                     seeds 531 to 535
 *     npx tsx research/proofs/judges-of-model.ts --seeds 1,2,3
 *
 * Figures of a seed lie below runs/proofs/judges-of-model and are not made again.
 */
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { tInterval } from "../../packages/base/src/base/statistics/student-t.ts";
import { criticsOn } from "./critics.ts";
import { ownBookings } from "./own-bookings.ts";
import { stancesOn } from "./stances-of-model.ts";

const { values } = parseArgs({ options: { seeds: { type: "string", default: "531,532,533,534,535" } } });
const seeds = values.seeds.split(",").map(Number);
const OUT = "runs/proofs/judges-of-model";
const DAYS = 640;
const TWICE = 100;
/** Days that are booked twice are others than those of any seed. */
const OTHER_DAYS = 10_000;

type Figures = Readonly<Record<string, number>>;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function row(title: string, of: (one: Figures) => number, all: readonly Figures[]): void {
  const figures = all.map(of);
  const { mean, low, high } = tInterval(figures);
  const bySeed = figures.map((one) => one.toFixed(3)).join(", ");
  print(`| ${title} | ${mean.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}] | ${bySeed} |`.replaceAll("-0", "−0"));
}

interface Seed {
  readonly critics: Figures;
  readonly stances: Figures;
}

async function figuresOf(seed: number): Promise<Seed> {
  const file = join(OUT, `${seed}.json`);
  if (existsSync(file)) return JSON.parse(await readFile(file, "utf8")) as Seed;
  const bookings = (await ownBookings(DAYS, seed)).flat();
  const twice = await ownBookings(TWICE, OTHER_DAYS + seed, 2);
  const made: Seed = {
    critics: criticsOn(bookings, seed, { shown: 80, merged: 400, heldOut: 450 }),
    stances: stancesOn(bookings, twice, seed, { shown: 300, lessons: 900, keep: 0.5 }),
  };
  await writeFile(file, JSON.stringify(made));
  return made;
}

await mkdir(OUT, { recursive: true });
const all: Seed[] = [];
for (const seed of seeds) all.push(await figuresOf(seed));
const less =
  (left: string, right: string) =>
  (one: Figures): number =>
    (one[left] as number) - (one[right] as number);
for (const [title, own, pairs] of [
  ["MultiCritique", all.map(({ critics }) => critics), [["votes", "bestCritic"], ["merged", "bestOne"], ["merged", "byLot"], ["merged", "unmerged"]]], // prettier-ignore
  ["ReAgent-V", all.map(({ stances }) => stances), [["revised", "before"], ["revised", "byLot"], ["revised", "neutralAlone"], ["studentKept", "studentLot"], ["studentKept", "studentShown"]]], // prettier-ignore
] as const) {
  print(`\n${title}, ${seeds.length} seeds: ${seeds.join(", ")}\n\n| | mean | by seed |\n| --- | --- | --- |`);
  for (const name of Object.keys(own[0] ?? {})) row(name, (one) => one[name] as number, own);
  for (const [left, right] of pairs) row(`${left} less ${right}`, less(left, right), own);
}
