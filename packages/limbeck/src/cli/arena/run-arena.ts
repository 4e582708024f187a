/** An arena from the command line: plan, run, conclusions. */
import { join, relative, resolve } from "node:path";
import { checkPlannedWorlds, withNamedWorld } from "limbeck-training/arena/arm-world";
import { type ArenaFiles, writeArena } from "limbeck-training/arena/write-arena";
import { type ArenaPlan, readPlan } from "limbeck-training/arena/plan";
import { type ArenaSummary, rankArms, summarise } from "limbeck-training/arena/summary";
import type { Comparison, Decision } from "limbeck-training/arena/decide";
import {
  comparisonWords,
  verdictWords,
  amountWords,
  estimateWords,
  fewSeedsWords,
  rankWords,
} from "limbeck-training/arena/words";
import { defaultJobs, runOrder, runPlan, storedPlan } from "limbeck-training/arena/run-plan";
import { readResults } from "limbeck-training/arena/results";
import { parseVaried } from "limbeck-training/arena/vary";
import { usageError, EngineError } from "limbeck-base/base/errors";
import { givenJson } from "limbeck-base/base/given-file";
import { hasInterval } from "limbeck-base/base/statistics/student-t";
import { resolveInput } from "limbeck-base/base/operation";
import { worldWords } from "limbeck-core/env/world-words";
import { isModelPlace } from "limbeck-policy/policy/local/is-gguf";
import { planArena } from "../../run/arena.ts";
import { givenRewards } from "../../run/given-rewards.ts";
import { givenSearch } from "../../run/given-search.ts";
import { searchInputs } from "../../run/search.inputs.ts";
import { newRunName } from "limbeck-training/training/parts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { printTable, right } from "../look/table.ts";
import { formatCount, formatDuration, plural } from "limbeck-base/base/units";
import { reportFailed } from "../report-failed.ts";
import { givenRunFolder } from "../train/run-folder.ts";
import { typedCommand, typedPath } from "../typed-command.ts";
import { storeFolder } from "../with-store.ts";
import type { ArenaFrame, ArenaInput } from "./arena.inputs.ts";
import { createArenaView } from "./view.ts";

export async function runArena(input: ArenaInput, frame: ArenaFrame): Promise<number> {
  const planned = await plannedArena(input, frame);
  const { plan, dir } = planned;
  const { jobs = defaultJobs(plan.threads) } = input;
  announce(input, frame, plan, jobs);
  if (input.dryRun) return EXIT.done;
  const failed = input.reportOnly ? 0 : await carryOut(input, frame, planned, jobs);
  const summary = summarise(plan, await readResults(plan, dir));
  let fault: unknown;
  const files = await writeArena(summary, dir).catch((cause: unknown) => {
    fault = cause;
    return undefined;
  });
  const shown = (path: string): string => relative(frame.cwd, path) || path;
  if (frame.json) printArenaJson(frame, summary, files, shown(dir));
  else printSummary(frame, summary, files, shown);
  if (files !== undefined) return failed > 0 ? EXIT.failed : EXIT.done;
  const folder = typedPath(dir, frame.cwd);
  const kept = `${folder} holds the plan and the numbers of every run.`;
  frame.report(reportFailed(fault, kept, typedCommand(["arena", "--resume", folder, "--report-only"])));
  return EXIT.failed;
}

/** Runs what is not over yet; the answer is how many runs failed. */
async function carryOut(
  { allowCommands: commands, allowAddresses: addresses }: ArenaInput,
  frame: ArenaFrame,
  { plan, dir, file }: PlannedArena,
  jobs: number,
): Promise<number> {
  if (file !== undefined) {
    await checkPlannedWorlds(plan, { file, allowed: { commands, addresses }, command: "limbeck arena" });
  }
  const view = createArenaView(frame, plan);
  let failed = 0;
  try {
    await runPlan({
      plan,
      dir,
      jobs,
      signal: frame.signal,
      onLine: (run, line) => {
        view.line(run, line);
        if (line.kind !== "point") return;
        const { update, environmentSteps, sampledTokens, seconds, success } = line;
        frame.emit({ event: "point", ...run, update, environmentSteps, sampledTokens, seconds, success });
      },
      onEnd: (run, ended) => {
        if (ended.how === "failed") failed += 1;
        view.end(run, ended);
        frame.emit({ event: "run", ...run, ...ended });
      },
    });
  } finally {
    view.close();
  }
  return failed;
}

function announce({ dryRun }: ArenaInput, frame: ArenaFrame, plan: ArenaPlan, jobs: number): void {
  const { style, print } = frame;
  const { env, envOptions, seeds } = plan;
  const order = runOrder(plan).map(({ arm, seed }) => `${arm}/${seed}`);
  const arms = plan.arms.map(({ name }) => name);
  frame.emit({ event: "plan", env, envOptions, arms, seeds, order, jobs });
  const { account, amount } = plan.budget;
  print(
    `${style.bold("Arena")}: ${plural(arms.length, "arm")} × ${plural(plan.seeds.length, "seed")} on ${cleanLine(worldWords(plan.env, plan.envOptions))}, ${amountWords(amount, account)} each, ${jobs} side by side`,
  );
  for (const name of arms) print(`  ${cleanLine(name)}`);
  if (dryRun) print(style.dim(`Order: ${order.map(cleanLine).join(", ")}`));
}

function printSummary(
  frame: ArenaFrame,
  summary: ArenaSummary,
  files: ArenaFiles | undefined,
  shown: (path: string) => string,
): void {
  const { style, print } = frame;
  print();
  printResults(frame, summary);
  print();
  print(style.bold(cleanLine(verdictWords(summary))));
  for (const comparison of summary.accounts[0]?.area.comparisons ?? []) {
    const words = cleanLine(comparisonWords(comparison));
    print(comparison.better === null ? `  ${words}` : `  ${style.green(words)}`);
  }
  const unfinished = summary.missing.map(({ arm, seed }) => `${arm}/${seed}`);
  if (unfinished.length > 0) print(style.yellow(`Not finished: ${cleanLine(unfinished.join(", "))}`));
  if (files === undefined) return;
  print();
  print(`Report, for a browser: ${style.cyan(cleanLine(shown(files.report)))}`);
  print(style.dim(`Numbers: ${cleanLine(shown(files.points))}, ${cleanLine(shown(files.comparisons))}`));
}

function printResults(frame: ArenaFrame, summary: ArenaSummary): void {
  const { plan, accounts, ratings } = summary;
  const [primary] = accounts;
  if (primary === undefined) return frame.print("No run is finished yet.");
  const standings = new Map(primary.area.standings.arms.map((one) => [one.name, one]));
  const rows = rankArms(primary).map(({ name, area, end, reached: targets }) => {
    const standing = standings.get(name);
    const held = summary.arms.find((one) => one.name === name);
    const rating = ratings.find((one) => one.name === name);
    return [
      name,
      standing === undefined ? "" : `${rankWords(standing)} ${standing.letters}`,
      estimateWords(area),
      estimateWords(end),
      held?.final === undefined ? "" : estimateWords(held.final),
      ...targets.map(({ median }) => (median === null ? "–" : formatCount(median))),
      rating === undefined
        ? ""
        : `${whole(rating.rating)}${hasInterval(area.seeds) ? ` [${whole(rating.low)}, ${whole(rating.high)}]` : ""}`,
      held === undefined || held.finished === 0 ? "" : formatDuration(held.cost.seconds * 1_000),
    ];
  });
  const reached = plan.targets.map((target) => right(`${primary.account} to ${target}`));
  const columns = ["arm", "rank", "area", "at the end", "held-out", ...reached, right("rating"), right("training")];
  printTable(frame, columns, rows);
  if (!hasInterval(plan.seeds.length)) frame.print(frame.style.dim(`${fewSeedsWords(plan.seeds.length)}.`));
}

function whole(value: number): string {
  return String(Math.round(value) || 0);
}

// From the command line to the plan of an arena.

interface PlannedArena {
  readonly plan: ArenaPlan;
  readonly dir: string;
  /** The file it was read from; none where it was typed. */
  readonly file?: string;
}

async function plannedArena(input: ArenaInput, frame: ArenaFrame): Promise<PlannedArena> {
  const { resume, plan: file } = input;
  if (resume !== undefined) {
    const dir = resolve(frame.cwd, resume);
    const plan = await storedPlan(dir);
    if (plan === undefined) throw new EngineError("nothing-to-resume", `"${resume}" holds no arena (no plan.json).`);
    return { plan, dir, file: join(dir, "plan.json") };
  }
  const store = input.dir === undefined ? storeFolder(frame, "give --dir DIR") : undefined;
  // What is only shown leaves nothing behind.
  const dir =
    input.dryRun && store !== undefined
      ? join(store, newRunName("arena", Date.now()))
      : await givenRunFolder(frame, "arena");
  if ((await storedPlan(dir)) !== undefined) {
    throw new EngineError(
      "target-exists",
      `"${dir}" holds an arena. Go on with it by --resume, or give another --dir.`,
    );
  }
  if (file === undefined) return { plan: await planOf(input, frame), dir };
  const plan = readPlan(await givenJson(frame, file, "the plan"), `"${file}"`);
  return { plan: await withNamedWorld(plan), dir, file };
}

async function planOf(input: ArenaInput, frame: ArenaFrame): Promise<ArenaPlan> {
  const { recipes, seeds, targets, validateEvery: every, validationTasks: tasks, finalTasks, retentionTasks } = input;
  return await planArena({
    ...input,
    arms: recipes?.split(",").map((name) => name.trim()),
    vary: Object.fromEntries(input.vary.map(parseVaried)),
    reward: await givenRewards(input, frame),
    seeds: seeds === undefined ? undefined : seedsOf(seeds),
    model: input.model === undefined ? undefined : await modelIn(frame.cwd, input.model),
    evaluation: { every, tasks, finalTasks, ...(await finalSearch(input, frame)), retentionTasks },
    targets: targets === undefined ? undefined : targetsOf(targets),
  });
}

/** Each arm would find out for itself, one after the other. */
async function modelIn(cwd: string, given: string): Promise<string> {
  const path = resolve(cwd, given);
  if (await isModelPlace(path)) return path;
  throw usageError(
    `--model "${given}": it is no model folder (config.json, model.safetensors, tokenizer.json) and no GGUF file.`,
  );
}

/** --search with its options and budget, as the plan keeps it. */
async function finalSearch({ search, searchOptions, searchBudget }: ArenaInput, frame: ArenaFrame): Promise<object> {
  if (search === undefined) return {};
  const others = resolveInput(searchInputs, { searchOptions, searchBudget }, "limbeck arena");
  const { method, options, budget } = (await givenSearch(search, others, frame)).config;
  return { finalSearch: { method, options, budget } };
}

function seedsOf(text: string): number[] {
  const range = /^(\d{1,9})-(\d{1,9})$/.exec(text);
  const [first, last] = range === null ? [1, /^\d{1,9}$/.test(text) ? Number(text) : 0] : range.slice(1).map(Number);
  const count = (last ?? 0) - (first ?? 0) + 1;
  if (count >= 1 && count <= 10_000) return Array.from({ length: count }, (_, at) => (first ?? 0) + at);
  throw usageError(`--seeds takes a number of seeds or a range such as 11-20, not "${text}".`);
}

function targetsOf(text: string): number[] {
  const targets = text.split(",").map(Number);
  if (targets.every((target) => target > 0 && target <= 1)) return targets;
  throw usageError(`--targets takes shares above 0 and up to 1, such as 0.6,0.8, not "${text}".`);
}

// What `limbeck arena --json` prints at the end; its fields are API.

/** `files` is undefined where they could not be written. */
function printArenaJson(frame: ArenaFrame, summary: ArenaSummary, files: ArenaFiles | undefined, dir: string): void {
  const { accounts, arms, final, ratings, plan, missing } = summary;
  for (const { account, arms: measured, area, end } of accounts) {
    for (const { name, area: own, end: reachedEnd, reached } of measured) {
      const standing = area.standings.arms.find((one) => one.name === name);
      const whole = arms.find((one) => one.name === name);
      frame.emit({
        event: "arm",
        account,
        arm: name,
        area: own,
        end: reachedEnd,
        reached,
        final: whole?.final ?? null,
        retention: whole?.retention ?? null,
        rank: standing === undefined ? null : [standing.bestRank, standing.worstRank],
        rating: ratings.find((one) => one.name === name) ?? null,
      });
    }
    for (const one of lines(area, account, "area")) frame.emit(one);
    for (const one of lines(end, account, "end")) frame.emit(one);
  }
  if (final !== undefined) for (const one of lines(final, null, "held-out")) frame.emit(one);
  frame.emit({
    verdict: verdictWords(summary),
    winner: accounts[0]?.area.standings.winner ?? null,
    arms: plan.arms.map(({ name }) => name),
    missing: missing.map(({ arm, seed }) => `${arm}/${seed}`),
    dir,
    ...(files ?? { report: null, points: null, comparisons: null }),
  });
}

function lines({ comparisons }: Decision, account: string | null, measure: string): object[] {
  return comparisons.map((one: Comparison) => ({
    event: "comparison",
    account,
    measure,
    left: one.left,
    right: one.right,
    pairs: one.pairs,
    difference: one.difference,
    low: one.interval.low,
    high: one.interval.high,
    adjustedP: one.adjustedP,
    better: one.better,
    moreSeeds: one.moreSeeds,
    words: comparisonWords(one),
  }));
}
