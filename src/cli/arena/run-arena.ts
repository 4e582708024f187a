/** An arena from the command line: plan, run, conclusions. */
import { relative } from "node:path";
import {
  comparisonWords,
  defaultJobs,
  rankArms,
  readResults,
  runOrder,
  runPlan,
  summarise,
  verdictWords,
  writeArena,
  type ArenaFiles,
  type ArenaPlan,
  type ArenaSummary,
} from "../../arena/index.ts";
import { amountWords } from "../../arena/words.ts";
import { checkPlannedWorlds } from "../../arena/arm-world.ts";
import { worldWords } from "../../env/world-words.ts";
import { estimateWords, fewSeedsWords, rankWords } from "../../arena/words.ts";
import { hasInterval } from "../../base/index.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { printTable, right } from "../look/table.ts";
import { formatCount, formatDuration, plural } from "../look/units.ts";
import { reportFailed } from "../report-failed.ts";
import { typedCommand, typedPath } from "../typed-command.ts";
import type { ArenaFrame, ArenaInput } from "./arena.inputs.ts";
import { plannedArena, type PlannedArena } from "./planned-arena.ts";
import { printArenaJson } from "./json-lines.ts";
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
