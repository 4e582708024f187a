/**
 * `npm run reproduce [-- STAGE…] [--quick] [--dir DIR] [--jobs N]`: the study of docs/results.md, one arena a stage.
 * Stopped and called again it goes on where it was. `--plan` only writes the plans that can be written already.
 */
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import {
  accountNames,
  comparisonWords,
  defaultJobs,
  ranked,
  readPlan,
  readResults,
  runOrder,
  runPlan,
  summarise,
  verdictWords,
  writeArena,
  type ArenaSummary,
} from "../../src/arena/index.ts";
import { isFinished, journalFile, readJournal } from "../../src/arena/journal.ts";
import type { ArenaPlan } from "../../src/arena/plan.ts";
import { storedPlan, storePlan } from "../../src/arena/run-plan.ts";
import { lookUp, type Interval } from "../../src/base/index.ts";
import { tunedMethods } from "./arms.ts";
import { choose } from "./choose.ts";
import { stageNames, stages, type Chosen, type StageName } from "./stages.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    dir: { type: "string" },
    jobs: { type: "string" },
    plan: { type: "boolean", default: false },
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
  const { title, needsChoice, plan: planOf } = stages[name];
  const dir = join(root, name);
  const chosen = await readChoice();
  if (needsChoice && chosen === undefined) {
    if (values.plan) return print(`${name}: its plan needs the screening.`);
    throw new Error(`The stage ${name} takes the settings that the stage screening chooses; run that first.`);
  }
  const plan = readPlan(planOf(values.quick, chosen ?? {}));
  if (values.plan) {
    await storePlan(dir, plan);
    return print(`${name}: ${runOrder(plan).length} runs in ${dir}`);
  }
  await borrow(plan, dir);
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
  if (name === "screening")
    await writeFile(choiceFile(), `${JSON.stringify(choose(tunedMethods, summary), undefined, 2)}\n`);
}

/** Runs that another stage has finished under the same conditions. */
async function borrow(plan: ArenaPlan, dir: string): Promise<void> {
  const conditions = ({ env, envOptions, model, budget, threads, evaluation }: ArenaPlan): string =>
    JSON.stringify([env, envOptions, model, budget, threads, evaluation]);
  for (const other of stageNames.map((stage) => join(root, stage))) {
    const done = other === dir ? undefined : await storedPlan(other);
    if (done === undefined || conditions(done) !== conditions(plan)) continue;
    const same = plan.arms.filter((arm) => done.arms.some((own) => JSON.stringify(own) === JSON.stringify(arm)));
    for (const { name } of same) {
      for (const seed of plan.seeds.filter((own) => done.seeds.includes(own))) {
        const [from, to] = [journalFile(other, name, seed), journalFile(dir, name, seed)];
        if (isFinished(await readJournal(to)) || !isFinished(await readJournal(from))) continue;
        await mkdir(dirname(to), { recursive: true });
        await copyFile(from, to);
      }
    }
  }
}

function choiceFile(): string {
  return join(root, "chosen.json");
}

async function readChoice(): Promise<Chosen | undefined> {
  const text = await readFile(choiceFile(), "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Chosen);
}

/** As docs/results.md has it. */
function printSummary(summary: ArenaSummary): void {
  const [primary, ...others] = summary.accounts;
  if (primary === undefined) return;
  print("\n| arm | seeds | area | end | test tasks | updates | model tokens | seconds |");
  print("| --- | ---: | --- | --- | --- | ---: | ---: | ---: |");
  for (const { name, area, end } of ranked(primary)) {
    const own = summary.arms.find((arm) => arm.name === name);
    const { updates = 0, tokens = 0, modelTokens = 0, seconds = 0 } = own?.cost ?? {};
    const final = own?.final === undefined ? "" : shown(own.final);
    const through = ((tokens + modelTokens) / 1_000).toFixed(0);
    print(
      `| \`${name}\` | ${area.seeds} | ${shown(area)} | ${shown(end)} | ${final} | ${updates.toFixed(1)} | ${through}k | ${seconds.toFixed(0)} |`,
    );
  }
  print("");
  for (const comparison of primary.area.comparisons) print(`- ${comparisonWords(comparison)}`);
  print(`\n${verdictWords(summary)}`);
  for (const account of others) printAccount(account);
}

/** The same runs by what else they cost, as far as all of them go. */
function printAccount(account: ArenaSummary["accounts"][number]): void {
  const { account: name, to, area } = account;
  print(`\nEqual ${accountNames[name]}, up to ${to.toFixed(0)}: area`);
  print(
    ranked(account)
      .map((arm) => `${arm.name} ${shown(arm.area)}`)
      .join(", "),
  );
  for (const comparison of area.comparisons) {
    if (comparison.better !== null) print(`- ${comparisonWords(comparison)}`);
  }
}

function shown({ mean, low, high }: Interval & { readonly mean: number }): string {
  return `${mean.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
}
