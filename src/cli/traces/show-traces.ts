/** What was recorded, from the command line: filter, add up, print. */
import { withoutUndefined } from "../../base/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { printTable, right } from "../look/table.ts";
import { formatCount, formatDuration, formatNumber, plural } from "../look/units.ts";
import { parseCount, parseDuration, usageError } from "../parse.ts";
import { readScope, withStore } from "../with-store.ts";
import { listTraces, outcomeWord, type Trace, type TraceFilter } from "./list-traces.ts";
import { OUTCOMES } from "./outcome-words.ts";
import { readPrices } from "./prices.ts";

export async function showTraces(invocation: Invocation): Promise<number> {
  const filter = readFilter(invocation);
  const file = invocation.text("prices");
  const prices = file === undefined ? {} : await readPrices(invocation, file);
  const limit = parseCount(invocation.text("limit") ?? "50", "limit", 0);
  return await withStore(invocation.storeRoot, async (store) => {
    const found = await listTraces(store, filter, prices, await readScope(invocation, store));
    if (invocation.json) {
      for (const trace of found.slice(0, limit)) invocation.printJson(trace);
      invocation.printJson({ event: "total", ...totalOf(found) });
    } else print(invocation, found, limit, store.root);
    return EXIT.done;
  });
}

export function readFilter(invocation: Invocation): TraceFilter {
  const outcome = invocation.text("outcome");
  const known = OUTCOMES.find((word) => word === outcome);
  if (outcome !== undefined && known === undefined) {
    throw usageError(`--outcome must be one of ${OUTCOMES.join(", ")}; got ${JSON.stringify(outcome)}.`);
  }
  const since = invocation.text("since");
  return withoutUndefined({
    task: invocation.text("task"),
    agent: invocation.text("agent"),
    model: invocation.text("model"),
    since: since === undefined ? undefined : startOf(since),
    outcome: known,
    errors: invocation.flag("errors"),
    all: invocation.flag("all"),
  });
}

/** A length of time before now, or a date. */
function startOf(text: string): string {
  const date = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return new Date(Number.isNaN(date) ? Date.now() - parseDuration(text, "since") : date).toISOString();
}

interface Total {
  readonly trajectories: number;
  readonly steps: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costUsd: number;
  readonly unpriced: number;
  readonly withErrors: number;
  readonly withoutOutcome: number;
}

function totalOf(found: readonly Trace[]): Total {
  const sum = (of: (trace: Trace) => number | null): number =>
    found.reduce((total, trace) => total + (of(trace) ?? 0), 0);
  const count = (of: (trace: Trace) => boolean): number => found.filter(of).length;
  return {
    trajectories: found.length,
    steps: sum((trace) => trace.steps),
    promptTokens: sum((trace) => trace.promptTokens),
    completionTokens: sum((trace) => trace.completionTokens),
    costUsd: sum((trace) => trace.costUsd),
    unpriced: count((trace) => trace.costUsd === null),
    withErrors: count((trace) => trace.errors > 0 || trace.failure !== null),
    withoutOutcome: count((trace) => outcomeWord(trace) === "none"),
  };
}

function print(invocation: Invocation, found: readonly Trace[], limit: number, root: string): void {
  const { style } = invocation;
  if (found.length === 0) {
    invocation.print(`Nothing recorded in ${cleanLine(root)} matches.`);
    invocation.note(style.dim("Record an agent: limbeck proxy, or limbeck import recordings"));
    return;
  }
  printTable(
    invocation,
    [
      { title: "trajectory", paint: (padded) => style.cyan(padded) },
      "task",
      "agent",
      { title: "started (UTC)", paint: (padded) => style.dim(padded) },
      right("steps"),
      right("tokens"),
      right("cost"),
      right("time"),
      "outcome",
      { title: "", paint: (padded) => style.red(padded) },
    ],
    found
      .slice(0, limit)
      .map((trace) => [
        trace.id,
        trace.task,
        trace.agent,
        (trace.startedAt ?? "").slice(0, 19).replace("T", " "),
        formatCount(trace.steps),
        formatCount((trace.promptTokens ?? 0) + (trace.completionTokens ?? 0)),
        trace.costUsd === null ? "" : `$${trace.costUsd.toFixed(4)}`,
        trace.durationMs === null ? "" : formatDuration(trace.durationMs),
        outcomeText(trace),
        problemText(trace),
      ]),
  );
  const total = totalOf(found);
  const facts = [
    plural(total.trajectories, "trajectory", "trajectories"),
    plural(total.steps, "step"),
    plural(total.promptTokens + total.completionTokens, "token"),
    ...(total.unpriced === total.trajectories ? [] : [`$${total.costUsd.toFixed(4)}`]),
    `${formatCount(total.withErrors)} with errors`,
    `${formatCount(total.withoutOutcome)} without an outcome`,
  ];
  invocation.print();
  invocation.print(style.dim(facts.join(", ")));
  if (found.length > limit)
    invocation.note(style.dim(`The newest ${formatCount(limit)} are shown; --limit shows more.`));
}

function outcomeText(trace: Trace): string {
  const word = outcomeWord(trace);
  if (word === "none") return "?";
  return trace.score === null ? word : `${word === "scored" ? "" : `${word} `}${formatNumber(trace.score)}`;
}

function problemText(trace: Trace): string {
  if (trace.failure !== null) return `✗ ${trace.failure}`;
  return trace.errors === 0 ? "" : `! ${plural(trace.errors, "error")}`;
}
