/** Before and after in large letters, with intervals, and what it took. */
import { sum } from "../../base/index.ts";
import { clip, markup, type Html } from "./html.ts";
import { count, duration, plural, rate, signed } from "./numbers.ts";
import { lostWords } from "../../trajectory/tally.ts";
import { differenceOf, movedOf, type Difference, type Pair } from "./pairs.ts";
import { reported, type RunRecord, type Share } from "./read-run.ts";

export interface RunWithPairs {
  readonly run: RunRecord;
  readonly pairs: readonly Pair[];
}

export function headlineSection(runs: readonly RunWithPairs[]): Html {
  return markup`${runs.map((one) => resultOf(one, runs.length > 1))}${comparisonOf(runs)}`;
}

function resultOf({ run, pairs }: RunWithPairs, named: boolean): Html {
  const [before, after] = [reported(run, "before"), reported(run, "after")];
  const change = differenceOf(pairs.map((pair) => [pair.after.success, pair.before.success]));
  const title = named ? markup`<h3><span class="swatch s${run.style % 4}"></span>${run.label}</h3>` : undefined;
  const paired =
    change === undefined ? undefined : markup`<p class="change">${changeOf(change)} ${movedWords(pairs)}</p>`;
  return markup`<div class="result s${run.style % 4}">${title}<div class="numbers">${numberOf("Before", before)}${numberOf("After", after)}</div>${paired}${factsOf(run)}</div>`;
}

function numberOf(name: string, share: Share | undefined): Html {
  if (share === undefined)
    return markup`<div class="number"><span>${name}</span><b class="none">not measured</b></div>`;
  const { success, low, high, tasks, failed: lost, causes } = share;
  const at = (value: number): string => `${Math.round(value * 1000) / 10}%`;
  return markup`<div class="number"><span>${name}</span><b>${rate(success)}</b><span class="track" aria-hidden="true"><span class="reach" style="left:${at(low)};right:${at(1 - high)}"></span><span class="pin" style="left:${at(success)}"></span></span><span>of ${lost === 0 ? "" : `${count(tasks - lost)} of `}${plural(tasks, "held-out task")}${lost === 0 ? "" : ` (${clip(lostWords({ lost, causes }), 300)})`}; 95% interval [${rate(low)}, ${rate(high)}]</span></div>`;
}

function changeOf({ difference, low, high }: Difference): Html {
  return markup`<b>${signed(difference, 3)}</b> [${signed(low, 3)}, ${signed(high, 3)}] on the same tasks (95% interval).`;
}

function movedWords(pairs: readonly Pair[]): Html {
  const { gained, lost, kept, never } = movedOf(pairs);
  return markup`${count(gained)} newly solved, ${count(lost)} lost, ${count(kept)} solved both times, ${count(never)} never.`;
}

function factsOf({ end, metrics, summary }: RunRecord): Html {
  const updates = metrics.get("success")?.length ?? 0;
  const last = (name: string): number | undefined => metrics.get(name)?.at(-1)?.y;
  const facts: (readonly [string, string | undefined])[] = [
    ["updates", updates === 0 ? undefined : count(updates)],
    ["episodes stored", count(summary.trajectories)],
    ["environment steps trained on", numberOr(end?.spent.environmentSteps ?? last("spent/environmentSteps"), count)],
    ["tokens sampled", numberOr(end?.spent.sampledTokens ?? last("spent/sampledTokens"), count)],
    ["time, evaluations included", numberOr(end?.spent.seconds ?? last("spent/seconds"), duration)],
  ];
  const known = facts.filter((fact): fact is readonly [string, string] => fact[1] !== undefined);
  return markup`<dl class="facts">${known.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function numberOr(value: number | undefined, show: (value: number) => string): string | undefined {
  return value === undefined ? undefined : show(value);
}

/** The first run against each other one, on tasks that both played after their training. */
function comparisonOf([first, ...others]: readonly RunWithPairs[]): Html | undefined {
  if (first === undefined || others.length === 0) return undefined;
  const lines = others.flatMap(({ run, pairs }) => {
    const theirs = new Map(pairs.map(({ task, after }) => [task, after.success]));
    const both = first.pairs.flatMap(({ task, after }) => {
      const other = theirs.get(task);
      return other === undefined ? [] : [[after.success, other] as const];
    });
    const difference = differenceOf(both);
    if (difference === undefined) return [];
    const clear = difference.low > 0 || difference.high < 0;
    return [
      markup`<p class="change">${first.run.label} compared with “${run.label}”, after training: ${changeOf(difference)} ${clear ? "" : "These tasks do not tell the two apart."}</p>`,
    ];
  });
  return markup`${lines}${lines.length > 0 ? markup`<p class="note">One run each: the interval is over tasks, not over seeds.</p>` : undefined}`;
}

/** Success by kind of task, where the world names kinds. */
export function familiesOf(pairs: readonly Pair[]): Html | undefined {
  const families = [...new Set(pairs.flatMap(({ family }) => family ?? []))].toSorted();
  if (families.length < 2) return undefined;
  const rows = families.map((family) => {
    const own = pairs.filter((pair) => pair.family === family);
    const solved = (when: "before" | "after"): number => sum(own.map((pair) => Number(pair[when].success)));
    const [before, after] = [solved("before") / own.length, solved("after") / own.length];
    const at = (value: number): string => `${Math.round(value * 1000) / 10}%`;
    return markup`<tr><th scope="row">${family.replaceAll("_", " ")}</th><td>${own.length}</td><td>${rate(before)}</td><td class="wide"><span class="track" aria-hidden="true"><span class="reach ${after < before ? "bad" : "good"}" style="left:${at(Math.min(before, after))};right:${at(1 - Math.max(before, after))}"></span><span class="pin hollow" style="left:${at(before)}"></span><span class="pin" style="left:${at(after)}"></span></span></td><td>${rate(after)}</td></tr>`;
  });
  return markup`<div class="scroll"><table class="families"><thead><tr><th scope="col">kind of task</th><th scope="col">tasks</th><th scope="col">before</th><th scope="col" class="wide"></th><th scope="col">after</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}
