/** An arena from the command line: plan, run, say what may be said. */
import { relative } from "node:path";
import {
  comparisonWords,
  defaultJobs,
  ranked,
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
import { givenAllowed } from "../allow-options.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { printTable, right } from "../look/table.ts";
import { formatCount, formatDuration, plural } from "../look/units.ts";
import { givenCount } from "../model/open-given.ts";
import { reportFailed } from "../report-failed.ts";
import { typedCommand, typedPath } from "../typed-command.ts";
import { plannedArena, type PlannedArena } from "./arena-options.ts";
import { printArenaJson } from "./json-lines.ts";
import { createArenaView } from "./view.ts";

export async function runArena(invocation: Invocation): Promise<number> {
  const planned = await plannedArena(invocation);
  const { plan, dir } = planned;
  const jobs = givenCount(invocation, "jobs", defaultJobs(plan.threads));
  announce(invocation, plan, jobs);
  if (invocation.flag("dry-run")) return EXIT.done;
  const failed = invocation.flag("report-only") ? 0 : await carryOut(invocation, planned, jobs);
  const summary = summarise(plan, await readResults(plan, dir));
  let fault: unknown;
  const files = await writeArena(summary, dir).catch((cause: unknown) => {
    fault = cause;
    return undefined;
  });
  const shown = (path: string): string => relative(invocation.io.cwd, path) || path;
  if (invocation.json) printArenaJson(invocation, summary, files, shown(dir));
  else printSummary(invocation, summary, files, shown);
  if (files !== undefined) return failed > 0 ? EXIT.failed : EXIT.done;
  const folder = typedPath(dir, invocation.io.cwd);
  const kept = `${folder} holds the plan and the numbers of every run.`;
  invocation.report(reportFailed(fault, kept, typedCommand(["arena", "--resume", folder, "--report-only"])));
  return EXIT.failed;
}

/** Runs what is not over yet; the answer is how many runs failed. */
async function carryOut(invocation: Invocation, planned: PlannedArena, jobs: number): Promise<number> {
  const { plan, dir, file } = planned;
  if (file !== undefined) {
    await checkPlannedWorlds(plan, { file, allowed: givenAllowed(invocation), command: "limbeck arena" });
  }
  const view = createArenaView(invocation, plan);
  let failed = 0;
  try {
    await runPlan({
      plan,
      dir,
      jobs,
      signal: invocation.io.signal,
      onLine: (run, line) => {
        view.line(run, line);
        if (!invocation.json || line.kind !== "point") return;
        const { update, environmentSteps, sampledTokens, seconds, success } = line;
        invocation.printJson({ event: "point", ...run, update, environmentSteps, sampledTokens, seconds, success });
      },
      onEnd: (run, ended) => {
        if (ended.how === "failed") failed += 1;
        view.end(run, ended);
        if (invocation.json) invocation.printJson({ event: "run", ...run, ...ended });
      },
    });
  } finally {
    view.close();
  }
  return failed;
}

function announce(invocation: Invocation, plan: ArenaPlan, jobs: number): void {
  const { style, print } = invocation;
  const order = runOrder(plan).map(({ arm, seed }) => `${arm}/${seed}`);
  const arms = plan.arms.map(({ name }) => name);
  if (invocation.json) {
    invocation.printJson({
      event: "plan",
      env: plan.env,
      envOptions: plan.envOptions,
      arms,
      seeds: plan.seeds,
      order,
      jobs,
    });
    return;
  }
  const { account, amount } = plan.budget;
  print(
    `${style.bold("Arena")}: ${plural(arms.length, "arm")} × ${plural(plan.seeds.length, "seed")} on ${cleanLine(worldWords(plan.env, plan.envOptions))}, ${amountWords(amount, account)} each, ${jobs} side by side`,
  );
  for (const name of arms) print(`  ${cleanLine(name)}`);
  if (invocation.flag("dry-run")) print(style.dim(`Order: ${order.map(cleanLine).join(", ")}`));
}

function printSummary(
  invocation: Invocation,
  summary: ArenaSummary,
  files: ArenaFiles | undefined,
  shown: (path: string) => string,
): void {
  const { style, print } = invocation;
  print();
  printResults(invocation, summary);
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

function printResults(invocation: Invocation, summary: ArenaSummary): void {
  const { plan, accounts, ratings } = summary;
  const [primary] = accounts;
  if (primary === undefined) return invocation.print("No run is finished yet.");
  const standings = new Map(primary.area.standings.arms.map((one) => [one.name, one]));
  const rows = ranked(primary).map(({ name, area, end, reached: targets }) => {
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
  printTable(invocation, columns, rows);
  if (!hasInterval(plan.seeds.length)) invocation.print(invocation.style.dim(`${fewSeedsWords(plan.seeds.length)}.`));
}

function whole(value: number): string {
  return String(Math.round(value) || 0);
}
