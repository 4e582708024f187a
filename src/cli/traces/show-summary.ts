/** What happened in the sessions that match: read one by one, summed up, printed. */
import { groupedBy } from "../../base/index.ts";
import { addSteps, sessionFacts, type SessionFacts } from "../../record/summary/session-facts.ts";
import { summarise, type Summary } from "../../record/summary/summary.ts";
import type { Store } from "../../store/store.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { printTable, right } from "../look/table.ts";
import { formatCount, plural } from "../look/units.ts";
import { parseCount } from "../parse.ts";
import { readScope, withStore } from "../with-store.ts";
import { listTraces, type Trace } from "./list-traces.ts";
import { readPrices } from "./prices.ts";
import { readFilter } from "./show-traces.ts";

export async function showSummary(invocation: Invocation): Promise<number> {
  const filter = readFilter(invocation);
  const file = invocation.text("prices");
  const prices = file === undefined ? {} : await readPrices(invocation, file);
  const limit = parseCount(invocation.text("limit") ?? "10", "limit", 0);
  return await withStore(invocation.storeRoot, async (store) => {
    const found = await listTraces(store, filter, prices, await readScope(invocation, store));
    const facts = await readFacts(store, found);
    const summary = summarise(facts, costsOf(found));
    if (invocation.json) printObjects(invocation, summary);
    else if (facts.length === 0) invocation.print(`Nothing recorded in ${cleanLine(store.root)} matches.`);
    else print(invocation, summary, limit);
    return EXIT.done;
  });
}

/** What continues a session has its id and the step it begins with. */
const rootOf = (id: string): string => id.replace(/~\d+$/, "");

async function readFacts(store: Store, found: readonly Trace[]): Promise<SessionFacts[]> {
  const all = new Map<string, SessionFacts>();
  for (const [run, traces] of groupedBy(found, (trace) => trace.run)) {
    const wanted = new Set(traces.map(({ id }) => id));
    for await (const trajectory of store.trajectories({ run })) {
      if (!wanted.has(trajectory.id)) continue;
      const root = trajectory.parent === undefined ? trajectory.id : rootOf(trajectory.id);
      const before = all.get(root);
      if (before === undefined) all.set(root, sessionFacts(trajectory, run));
      else addSteps(before, trajectory);
    }
  }
  return [...all.values()];
}

function costsOf(found: readonly Trace[]): Map<string, number> {
  const costs = new Map<string, number>();
  for (const { id, costUsd } of found) {
    if (costUsd !== null) costs.set(rootOf(id), (costs.get(rootOf(id)) ?? 0) + costUsd);
  }
  return costs;
}

function printObjects(invocation: Invocation, summary: Summary): void {
  for (const { evidence, success, failure } of summary.outcomes)
    invocation.printJson({ event: "outcome", evidence, successes: success, failures: failure });
  for (const loop of summary.loops) invocation.printJson({ event: "loop", ...loop });
  for (const tool of summary.tools) invocation.printJson({ event: "tool", ...tool });
  for (const { success, failure, ...kind } of summary.kinds)
    invocation.printJson({ event: "kind", ...kind, successes: success, failures: failure });
  for (const parting of summary.partings) invocation.printJson({ event: "parting", ...parting });
  const { sessions, parts, unknown, wordsCheck } = summary;
  invocation.printJson({ event: "summary", sessions, parts, unknown, wordsCheck: wordsCheck ?? null });
}

function print(invocation: Invocation, summary: Summary, limit: number): void {
  const { style } = invocation;
  const more =
    summary.parts === 0 ? "" : `, and ${plural(summary.parts, "sub-agent or branch", "sub-agents or branches")}`;
  invocation.print(style.bold(`${plural(summary.sessions, "session")}${more}`));
  invocation.print();
  const outcomes = summary.outcomes.filter(({ success, failure }) => success + failure > 0);
  printTable(
    invocation,
    ["outcome by", right("succeeded"), right("failed")],
    [
      ...outcomes.map(({ evidence, success, failure }) => [evidence, formatCount(success), formatCount(failure)]),
      ["no evidence", formatCount(summary.unknown), ""],
    ],
  );
  if (outcomes.some(({ evidence }) => evidence === "next message")) invocation.print(style.dim(wordsText(summary)));
  sayTools(invocation, summary, limit);
  sayKinds(invocation, summary);
  sayLoops(invocation, summary, limit);
  sayPartings(invocation, summary, limit);
}

/** A guess from words is told with how far it may be trusted. */
function wordsText({ wordsCheck }: Summary): string {
  if (wordsCheck === undefined)
    return "The next message is a guess from words; no session has better evidence to check it by.";
  const share = (value: number): string => `${Math.round(value * 100)}%`;
  const { agreed, of, low, high } = wordsCheck;
  return `The next message is a guess from words: it agreed with better evidence in ${agreed} of ${of} sessions (95% interval ${share(low)} to ${share(high)}).`;
}

function sayTools(invocation: Invocation, { tools }: Summary, limit: number): void {
  if (tools.length === 0) return;
  invocation.print();
  printTable(
    invocation,
    ["tool", right("calls"), right("errors"), right("refused")],
    tools
      .slice(0, limit)
      .map(({ tool, calls, errors, refused }) => [tool, formatCount(calls), formatCount(errors), formatCount(refused)]),
  );
  if (tools.length > limit)
    invocation.note(invocation.style.dim(`${formatCount(tools.length - limit)} more tools; --limit shows them.`));
}

function sayKinds(invocation: Invocation, { kinds }: Summary): void {
  invocation.print();
  printTable(
    invocation,
    [
      "kind of task",
      right("sessions"),
      right("succeeded"),
      right("failed"),
      right("steps"),
      right("tokens"),
      right("cost"),
    ],
    kinds.map((kind) => [
      kind.kind,
      formatCount(kind.sessions),
      formatCount(kind.success),
      formatCount(kind.failure),
      formatCount(kind.steps),
      formatCount(kind.tokens),
      costText(kind),
    ]),
  );
}

function costText({ costUsd, unpriced, sessions }: Summary["kinds"][number]): string {
  if (costUsd === 0 && unpriced > 0) return "unknown";
  return `$${costUsd.toFixed(4)}${unpriced > 0 && sessions > 0 ? " and more" : ""}`;
}

function sayLoops(invocation: Invocation, { loops }: Summary, limit: number): void {
  if (loops.length === 0) return;
  invocation.print();
  invocation.print(`Loops: ${plural(loops.length, "session")} made a call three times or more with the same result`);
  for (const { id, call, times } of loops.slice(0, limit))
    invocation.print(`  ${formatCount(times)} × ${cleanLine(call)} ${invocation.style.dim(cleanLine(id))}`);
}

function sayPartings(invocation: Invocation, { partings }: Summary, limit: number): void {
  for (const { goal, sessions, step, ways } of partings.slice(0, limit)) {
    invocation.print();
    invocation.print(`${plural(sessions, "session")} of "${cleanLine(goal.slice(0, 80))}" part at step ${step}:`);
    for (const way of ways.slice(0, limit)) {
      const known =
        way.success + way.failure === 0
          ? ""
          : `, ${formatCount(way.success)} succeeded, ${formatCount(way.failure)} failed`;
      invocation.print(`  ${plural(way.sessions, "session")}${known}: ${cleanLine(way.action)}`);
    }
  }
}
