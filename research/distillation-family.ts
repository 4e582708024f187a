/**
 * The tables and pictures of the stages `distillation` and `distillation-countdown`, for docs/evidence/results/distillation.md:
 *
 *     tsx research/distillation-family.ts [DIR]     # DIR holds a folder for each stage; .cache/reproduce unless told
 *
 * Prints the tables; writes docs/images/distillation-STAGE.svg and the numbers as Parquet below docs/evidence/results.
 */
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { readResults } from "../packages/training/src/arena/results.ts";
import { storedPlan } from "../packages/training/src/arena/run-plan.ts";
import { summarise } from "../packages/training/src/arena/summary.ts";
import { verdictWords } from "limbeck/training";
import { writeArena } from "../packages/training/src/arena/write-arena.ts";
import { entropyPicture, differencePicture } from "./reproduce/family-picture.ts";
import { familyTable, separatedWords } from "./reproduce/family-table.ts";

const [root = join(".cache", "reproduce")] = process.argv.slice(2);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

for (const stage of ["distillation", "distillation-countdown"]) {
  const dir = join(root, stage);
  const plan = await storedPlan(dir);
  if (plan === undefined) {
    print(`${dir} has no plan; run npm run reproduce -- ${stage} first.`);
    continue;
  }
  const summary = summarise(plan, await readResults(plan, dir));
  print(`\n## ${plan.env}\n`);
  print(familyTable(summary));
  print(`\n${verdictWords(summary)}`);
  for (const line of separatedWords(summary)) print(`- ${line}`);
  for (const { arm, seed, failure } of summary.missing) print(`missing: ${arm} ${seed} ${failure ?? ""}`);
  await writeFile(join("docs", "images", `distillation-${plan.env}.svg`), differencePicture(summary));
  await writeFile(join("docs", "images", `distillation-${plan.env}-entropy.svg`), entropyPicture(summary));
  const kept = join("docs", "evidence", "results", stage);
  await mkdir(kept, { recursive: true });
  const { points, comparisons } = await writeArena(summary, dir);
  for (const file of [points, comparisons]) await copyFile(file, join(kept, basename(file)));
}
