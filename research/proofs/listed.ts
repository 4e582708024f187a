/**
 * Rows of the catalogue with a learner that takes seconds: it chooses among listed actions by a linear model (`listed/chooser.ts`).
 * Worlds, rewards and credit are the engine's own. All in one process; the first arm is what the others are compared with.
 *
 *     npx tsx research/proofs/listed.ts jarvisart proact --seeds 561,562,563,564,565
 *     npx tsx research/proofs/listed.ts ssl --seeds 1,2 --split valid --rate 0.1       a pilot
 *     npx tsx research/proofs/listed.ts --quick                                        everything small: none may fail
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { tInterval } from "../../packages/base/src/base/statistics/student-t.ts";
import { difficultyFigures, errandArms } from "./listed/errand-arms.ts";
import { jarvisArms } from "./listed/retouched.ts";
import { budgetFigures, transferFigures, turnFigures } from "./listed/sweep.ts";
import { portoolArms } from "./listed/tool-trees.ts";
import { medianArms, proactArms, sslArms } from "./listed/rooms.ts";
import type { Arms, Figures, Of } from "./listed/study.ts";

type Result = Readonly<Record<string, Figures>>;

const each =
  (arms: Arms) =>
  async (of: Of): Promise<Result> => {
    const found: [string, Figures][] = [];
    for (const [name, arm] of Object.entries(arms)) found.push([name, await arm(of)]);
    return Object.fromEntries(found);
  };

const STUDIES: Readonly<Record<string, (of: Of) => Promise<Result>>> = {
  jarvisart: each(jarvisArms),
  proact: each(proactArms),
  ssl: each(sslArms),
  "mc-grpo": each(medianArms),
  errands: each(errandArms),
  difficulty: difficultyFigures,
  portool: each(portoolArms),
  "sweep-turns": turnFigures,
  "sweep-transfer": transferFigures,
  "sweep-budget": budgetFigures,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: "string", default: "561,562,563,564,565" },
    split: { type: "string", default: "test" },
    /** In the place of each arm's own. */
    rate: { type: "string" },
    quick: { type: "boolean", default: false },
    /** A folder that keeps each seed's figures; what is there is not run again. */
    kept: { type: "string" },
  },
});
const { split, quick, rate } = values;
const seeds = quick ? [1] : values.seeds.split(",").map(Number);
const print = (line = ""): void => void process.stdout.write(`${line.replaceAll("-0.", "−0.")}\n`);

async function resultOf(study: string, seed: number): Promise<Result> {
  const file = join(values.kept ?? "", `${study}-${split}-${seed}.json`);
  const text = values.kept === undefined ? undefined : await readFile(file, "utf8").catch(() => undefined);
  if (text !== undefined) return JSON.parse(text) as Result;
  const result = await (STUDIES[study] as (of: Of) => Promise<Result>)({ seed, split, quick, ...(rate === undefined ? {} : { rate: Number(rate) }) }); // prettier-ignore
  if (values.kept === undefined) return result;
  await mkdir(values.kept, { recursive: true });
  await writeFile(file, `${JSON.stringify(result)}\n`);
  return result;
}

function report(study: string, own: readonly Result[]): void {
  const [first = {}] = own;
  const [base = "", ...others] = Object.keys(first);
  print(`## ${study}, seeds ${seeds.join(", ")}`);
  print();
  print(`| measure | arm | mean | less ${base} | by seed |`);
  print("| --- | --- | ---: | --- | --- |");
  for (const measure of Object.keys(first[base] ?? {})) {
    for (const arm of [base, ...others]) {
      const of = (name: string): number[] => own.map((one) => one[name]?.[measure] ?? Number.NaN);
      const { mean } = tInterval(of(arm));
      const less = tInterval(of(arm).map((value, at) => value - (of(base)[at] as number)));
      const difference =
        arm === base ? "" : `${less.mean.toFixed(3)} [${less.low.toFixed(3)}, ${less.high.toFixed(3)}]`;
      print(`| ${measure} | ${arm} | ${mean.toFixed(3)} | ${difference} | ${of(arm).map((value) => value.toFixed(3)).join(", ")} |`); // prettier-ignore
    }
  }
}

for (const study of positionals.length === 0 ? Object.keys(STUDIES) : positionals) {
  const results: Result[] = [];
  const begun = process.cpuUsage();
  for (const seed of seeds) results.push(await resultOf(study, seed));
  const { user, system } = process.cpuUsage(begun);
  report(study, results);
  print();
  print(`${((user + system) / 1e6).toFixed(0)} s of a processor.`);
  print();
}
