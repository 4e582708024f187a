/** What was recorded, for a person: a list, or what happened in all that match. */
import { outcomeWord } from "limbeck-store/record/read-traces";
import type { Summary } from "limbeck-store/record/summary/summary";
import type { Total, Trace, TraceShows } from "limbeck-store/record/traces.inputs";
import type { Frame } from "../command-of.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { printTable, right } from "../look/table.ts";
import { formatCount, formatDuration, formatNumber, plural } from "limbeck-base/base/units";

export function showTraces(frame: Frame): TraceShows {
  const nothing = (root: string): void => frame.print(`Nothing recorded in ${cleanLine(root)} matches.`);
  return {
    traces: (found, limit, total, root) => {
      if (found.length > 0) return showList(frame, found, limit, total);
      nothing(root);
      frame.note(frame.style.dim("Record an agent: limbeck proxy, or limbeck import recordings"));
    },
    summary: (summary, limit, root) =>
      summary.sessions + summary.parts === 0 ? nothing(root) : showSummary(frame, summary, limit),
  };
}

function showList(frame: Frame, found: readonly Trace[], limit: number, total: Total): void {
  const { style, print, note } = frame;
  printTable(
    frame,
    [
      { title: "trajectory", paint: style.cyan },
      "task",
      "agent",
      { title: "started (UTC)", paint: style.dim },
      right("steps"),
      right("tokens"),
      right("cost"),
      right("time"),
      "outcome",
      { title: "", paint: style.red },
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
  const facts = [
    plural(total.trajectories, "trajectory", "trajectories"),
    plural(total.steps, "step"),
    plural(total.promptTokens + total.completionTokens, "token"),
    ...(total.unpriced === total.trajectories ? [] : [`$${total.costUsd.toFixed(4)}`]),
    `${formatCount(total.withErrors)} with errors`,
    `${formatCount(total.withoutOutcome)} without an outcome`,
  ];
  print();
  print(style.dim(facts.join(", ")));
  if (found.length > limit) note(style.dim(`The newest ${formatCount(limit)} are shown; --limit shows more.`));
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

function showSummary({ style, print, note, ...frame }: Frame, summary: Summary, limit: number): void {
  const { sessions, parts, unknown, tools, kinds, loops, partings } = summary;
  const more = parts === 0 ? "" : `, and ${plural(parts, "sub-agent or branch", "sub-agents or branches")}`;
  print(style.bold(`${plural(sessions, "session")}${more}`));
  const table = (titles: readonly [string, ...string[]], rows: readonly (readonly (string | number)[])[]): void => {
    print();
    const [first, ...numbers] = titles;
    const cells = rows.map((row) => row.map((cell) => (typeof cell === "number" ? formatCount(cell) : cell)));
    printTable({ ...frame, style, print }, [first, ...numbers.map(right)], cells);
  };
  const outcomes = summary.outcomes.filter(({ success, failure }) => success + failure > 0);
  table(
    ["outcome by", "succeeded", "failed"],
    [...outcomes.map((by) => [by.evidence, by.success, by.failure]), ["no evidence", unknown, ""]],
  );
  if (outcomes.some(({ evidence }) => evidence === "next message")) print(style.dim(wordsText(summary)));
  if (tools.length > 0)
    table(
      ["tool", "calls", "errors", "refused"],
      tools.slice(0, limit).map(({ tool, calls, errors, refused }) => [tool, calls, errors, refused]),
    );
  if (tools.length > limit) note(style.dim(`${formatCount(tools.length - limit)} more tools; --limit shows them.`));
  table(
    ["kind of task", "sessions", "succeeded", "failed", "steps", "tokens", "cost"],
    kinds.map((by) => [by.kind, by.sessions, by.success, by.failure, by.steps, by.tokens, costText(by)]),
  );
  if (loops.length > 0) {
    print();
    print(`Loops: ${plural(loops.length, "session")} made a call three times or more with the same result`);
  }
  for (const { id, call, times } of loops.slice(0, limit))
    print(`  ${formatCount(times)} × ${cleanLine(call)} ${style.dim(cleanLine(id))}`);
  for (const { goal, sessions: of, step, ways } of partings.slice(0, limit)) {
    print();
    print(`${plural(of, "session")} of "${cleanLine(goal.slice(0, 80))}" part at step ${step}:`);
    for (const { sessions: some, success, failure, action } of ways.slice(0, limit)) {
      const counts = `, ${formatCount(success)} succeeded, ${formatCount(failure)} failed`;
      print(`  ${plural(some, "session")}${success + failure === 0 ? "" : counts}: ${cleanLine(action)}`);
    }
  }
}

/** A guess from words is shown with its reliability. */
function wordsText({ wordsCheck }: Summary): string {
  if (wordsCheck === undefined)
    return "The next message is a guess from words; no session has better evidence to check it by.";
  const share = (value: number): string => `${Math.round(value * 100)}%`;
  const { agreed, of, low, high } = wordsCheck;
  return `The next message is a guess from words: it agreed with better evidence in ${agreed} of ${of} sessions (95% interval ${share(low)} to ${share(high)}).`;
}

function costText({ costUsd, unpriced, sessions }: Summary["kinds"][number]): string {
  if (costUsd === 0 && unpriced > 0) return "unknown";
  return `$${costUsd.toFixed(4)}${unpriced > 0 && sessions > 0 ? " and more" : ""}`;
}
