/**
 * Runs with tools on four axes and nine measures, as in FinTrace, against a run that is right. With `planted` it is the scorer
 * that is graded: whether just that axis is below 1.
 */
import { canonicalJson, type Json } from "limbeck-base/base/json";
import { option } from "limbeck-base/base/option";
import { mean } from "limbeck-base/base/statistics/summary";
import { responseText } from "limbeck-core/reward/response";
import { scored } from "limbeck-base/trajectory/score";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { defineGrader } from "../grader.ts";
import { callsIn, type Call } from "./calls.ts";

export const AXES = ["actions", "efficiency", "process", "output"] as const;
type Axis = (typeof AXES)[number];

export const traceAxes = defineGrader({
  id: "trace-axes",
  meaning: "How a run with tools compares on one axis with the actions of `answer`, a list of texts.",
  options: {
    axis: option.choice("actions", AXES, "which axis"),
    planted: option.choice(
      "",
      ["", "none", ...AXES],
      "in the place of its value: whether the one axis below 1 is this one; none: that all are 1",
    ),
    by: option.choice("axes", ["axes", "outcome"], "outcome: the end alone is looked at, as the axis output"),
  },
  check: (answer) => (textsOf(answer) === undefined ? "`answer` has to be a list of texts" : undefined),
  grade: ({ trajectory, answer }, { axis, planted, by }) => {
    const all =
      by === "axes" ? axesOf(trajectory, textsOf(answer) ?? []) : { output: Number(trajectory.success === true) };
    const values: Partial<Record<Axis, number>> = all;
    const why = JSON.stringify(values);
    if (planted === "") return { score: scored(values[axis] ?? 1), why };
    const low = AXES.filter((one) => (values[one] ?? 1) < 1 - 1e-9);
    return { score: scored(Number(low.join() === (planted === "none" ? "" : planted))), why };
  },
});

/** Means of their measures. */
export function axesOf(trajectory: Trajectory, gold: readonly string[]): Readonly<Record<Axis, number>> {
  const measures = measuresOf(trajectory, gold);
  return {
    actions: mean([measures.tools, measures.calls, measures.arguments]),
    efficiency: mean([measures.fresh, measures.lean]),
    process: mean([measures.heard, measures.rules]),
    output: mean([measures.figures, measures.closed]),
  };
}

export function measuresOf({ steps, ending }: Trajectory, goldLines: readonly string[]) {
  const own = callsIn({ steps }).map(keyOf);
  const right = callsIn({ steps: goldLines.map((action) => ({ action }) as Step) }).map(keyOf);
  const [ownSet, rightSet] = [new Set(own), new Set(right)];
  const [ownTools, rightTools] = [new Set(own.map(toolOf)), new Set(right.map(toolOf))];
  const known = [...ownSet].filter((key) => rightTools.has(toolOf(key)));
  const said = steps.map((step) => responseText(step)).filter(isSaid);
  const goldSaid = goldLines.filter(isSaid);
  const figures = figuresIn(goldSaid);
  const broken = steps.filter(({ info }) => Array.isArray(info?.["violations"]) && info["violations"].length > 0);
  return {
    // Actions: the tools that were needed, no call that was not, with the right arguments.
    tools: share(rightTools, (tool) => ownTools.has(tool)),
    calls: share(ownSet, (key) => rightSet.has(key)),
    arguments: share(known, (key) => rightSet.has(key)),
    // Efficiency: no call again that the right run makes once, and no more than it makes.
    fresh: 1 - Math.max(0, repeatsIn(own) - repeatsIn(right)) / Math.max(1, own.length),
    lean: own.length === 0 ? 1 : Math.min(1, right.length / own.length),
    // Process: nothing is asked again that was answered, and no rule is broken.
    heard: 1 - Math.max(0, repeatsIn(said) - repeatsIn(goldSaid)) / Math.max(1, said.length),
    rules: 1 - broken.length / Math.max(1, steps.length),
    // Output: the figures that were asked for, and an end.
    figures: share(figures, (one) => figuresIn(said).has(one)),
    closed: Number(ending === "terminated"),
  };
}

function keyOf(call: Call | undefined): string {
  return call === undefined ? "? " : `${call.name} ${canonicalJson(call.arguments)}`;
}

const toolOf = (key: string): string => key.slice(0, key.indexOf(" "));
const isSaid = (line: string): boolean => !/^\s*[[{]/.test(line);
const repeatsIn = (lines: readonly string[]): number => lines.length - new Set(lines).size;

/** Sums of money and shares: "24.50". */
function figuresIn(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.match(/\d+\.\d+/g) ?? []));
}

function share<One>(of: Iterable<One>, holds: (one: One) => boolean): number {
  const all = [...of];
  return all.length === 0 ? 1 : all.filter((one) => holds(one)).length / all.length;
}

function textsOf(answer: Json | undefined): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  return list.length > 0 && list.every((one) => typeof one === "string") ? list : undefined;
}
