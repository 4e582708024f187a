/**
 * `npm run reproduce [-- STAGE…] [--quick] [--dir DIR] [--jobs N]`: the study of docs/evidence/results/opid-study.md, one arena a stage.
 * Stopped and called again it goes on where it was. `--plan` only writes the plans that can be written already, `--arms A,B` takes
 * some arms of a stage.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { accountNames, comparisonWords } from "../../packages/training/src/arena/words.ts";
import { defaultJobs, runOrder, runPlan, storePlan } from "../../packages/training/src/arena/run-plan.ts";
import { rankArms, summarise, type ArenaSummary } from "../../packages/training/src/arena/summary.ts";
import { type ArenaPlanInput, readPlan } from "../../packages/training/src/arena/plan.ts";
import { readResults } from "../../packages/training/src/arena/results.ts";
import { verdictWords } from "limbeck/training";
import { writeArena } from "../../packages/training/src/arena/write-arena.ts";
import { EARLIER_SETTINGS } from "../../packages/core/src/update/settings.ts";
import { lookUp } from "../../packages/base/src/base/registry.ts";
import { shownEstimate } from "../shown.ts";
import type { Chosen } from "./arms.ts";
import { borrow } from "./borrow.ts";
import { choose } from "./choose.ts";
import { stageNames, stages, type StageName } from "./stages.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    dir: { type: "string" },
    jobs: { type: "string" },
    plan: { type: "boolean", default: false },
    arms: { type: "string" },
  },
});

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const root = values.dir ?? join(".cache", values.quick ? "reproduce-quick" : "reproduce");
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());

for (const name of positionals.length === 0 ? stageNames : positionals) {
  lookUp(stages, name, "stage");
  await runStage(name as StageName);
}

async function runStage(name: StageName): Promise<void> {
  const { title, needsChoice, tunes, plan: planOf } = stages[name];
  const dir = join(root, name);
  const chosen = await readChoice();
  if (needsChoice && values.plan && Object.keys(chosen).length === 0)
    return print(`${name}: its plan needs what the stages screening and tuning choose.`);
  const plan = readPlan(someArms(planOf(values.quick, chosen)));
  if (values.plan) {
    await storePlan(dir, plan);
    return print(`${name}: ${runOrder(plan).length} runs in ${dir}`);
  }
  for (const stage of stageNames.filter((other) => other !== name)) await borrow(plan, dir, join(root, stage));
  const jobs = values.jobs === undefined ? defaultJobs(plan.threads) : Number(values.jobs);
  print(`\n## ${title}\n`);
  await runPlan({
    plan,
    dir,
    jobs,
    signal: stop.signal,
    onEnd: ({ arm, seed }, { how, why }) =>
      print(`  ${arm}, seed ${seed}: ${how}${why === undefined ? "" : `, ${why}`}`),
  });
  const summary = summarise(plan, await readResults(plan, dir));
  const { report } = await writeArena(summary, dir);
  printSummary(summary);
  print(`Report: ${report}`);
  if (tunes !== undefined)
    await writeFile(choiceFile(), `${JSON.stringify({ ...chosen, ...choose(tunes, summary) }, undefined, 2)}\n`);
}

function someArms(plan: ArenaPlanInput): ArenaPlanInput {
  const wanted = values.arms?.split(",");
  // As it was when the study was run.
  const arms = plan.arms.map((arm) => ({ ...arm, settings: { ...EARLIER_SETTINGS, ...arm.settings } }));
  return { ...plan, arms: arms.filter(({ name }) => wanted?.includes(name) ?? true) };
}

function choiceFile(): string {
  return join(root, "chosen.json");
}

async function readChoice(): Promise<Chosen> {
  const text = await readFile(choiceFile(), "utf8").catch(() => "{}");
  return JSON.parse(text) as Chosen;
}

/** As docs/evidence/results/opid-study.md has it. */
function printSummary(summary: ArenaSummary): void {
  const [primary, ...others] = summary.accounts;
  if (primary === undefined) return;
  print("\n| arm | seeds | area | end | test tasks | updates | model tokens | seconds |");
  print("| --- | ---: | --- | --- | --- | ---: | ---: | ---: |");
  for (const { name, area, end } of rankArms(primary)) {
    const own = summary.arms.find((arm) => arm.name === name);
    const { updates = 0, tokens = 0, modelTokens = 0, seconds = 0 } = own?.cost ?? {};
    const final = own?.final === undefined ? "" : shownEstimate(own.final);
    const through = ((tokens + modelTokens) / 1_000).toFixed(0);
    print(
      `| \`${name}\` | ${area.seeds} | ${shownEstimate(area)} | ${shownEstimate(end)} | ${final} | ${updates.toFixed(1)} | ${through}k | ${seconds.toFixed(0)} |`,
    );
  }
  printFamilies(summary);
  print("");
  for (const comparison of primary.area.comparisons) print(`- ${comparisonWords(comparison)}`);
  print(`\n${verdictWords(summary)}`);
  for (const account of others) printAccount(account);
}

function printFamilies({ arms }: ArenaSummary): void {
  for (const { name, families } of arms.filter((arm) => arm.families.length > 1)) {
    const each = families.map(({ family, tasks, success }) => `${family} (${tasks}) ${shownEstimate(success)}`);
    print(`\n${name} by kind of task: ${each.join(", ")}`);
  }
}

/** The same runs by what else they cost, as far as all of them go. */
function printAccount(account: ArenaSummary["accounts"][number]): void {
  const { account: name, to, area } = account;
  print(`\nEqual ${accountNames[name]}, up to ${to.toFixed(0)}: area`);
  print(
    rankArms(account)
      .map((arm) => `${arm.name} ${shownEstimate(arm.area)}`)
      .join(", "),
  );
  for (const comparison of area.comparisons) {
    if (comparison.better !== null) print(`- ${comparisonWords(comparison)}`);
  }
}
