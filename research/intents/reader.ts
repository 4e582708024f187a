/**
 * Three readers of the logs of the suite `intents`. All learn the same way from 300 logs of their own, with the same model
 * (naive Bayes over the events in sight) and a threshold that is best there; they differ in what is in sight at a line:
 * `threads` the events of the line's own matter, `window` the last events of all, `memoryless` that line alone. None suggests
 * a thing twice.
 */
import { createRng } from "../../packages/base/src/base/rng.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { compareDues, type Due } from "../../packages/testing/src/suite/graders/intents.ts";
import { INTENTS, intentLog, type IntentLog } from "../../packages/testing/src/suite/own/intents.ts";

export const readers = ["threads", "window", "memoryless"] as const;
export type Reader = (typeof readers)[number];

const LEARNT = 300;
const WINDOW = 6;
const LATE = 3;
const NONE = "none";
const EVENTS = [...new Set(Object.values(INTENTS).flat())];
const LABELS = [...Object.keys(INTENTS), NONE];

type Lines = IntentLog["lines"];

function inSight(reader: Reader, lines: Lines, at: number): readonly string[] {
  const before = lines.slice(0, at + 1);
  const seen = {
    threads: () => before.filter(({ matter }) => matter === lines[at]?.matter),
    window: () => before.slice(-WINDOW),
    memoryless: () => before.slice(-1),
  }[reader]();
  return seen.map(({ event }) => event);
}

type Chances = (events: readonly string[]) => readonly (readonly [string, number])[];

/** Log-chances of each label by which events are in sight and which are not. */
function learn(reader: Reader, logs: readonly IntentLog[]): Chances {
  const count = new Map(LABELS.map((label) => [label, 1]));
  const shown = new Map(LABELS.map((label) => [label, new Map(EVENTS.map((event) => [event, 1]))]));
  for (const { lines, dues } of logs) {
    for (const at of lines.keys()) {
      const label = dues.find(({ line }) => line === at + 1)?.intent ?? NONE;
      count.set(label, (count.get(label) ?? 0) + 1);
      const own = shown.get(label) as Map<string, number>;
      for (const event of new Set(inSight(reader, lines, at))) own.set(event, (own.get(event) ?? 0) + 1);
    }
  }
  return (events) =>
    LABELS.map((label) => {
      const all = count.get(label) ?? 1;
      const share = (event: string): number => (shown.get(label)?.get(event) ?? 1) / (all + 1);
      const each = EVENTS.map((event) => Math.log(events.includes(event) ? share(event) : 1 - share(event)));
      return [label, each.reduce((sum, one) => sum + one, Math.log(all))] as const;
    });
}

/** The likeliest intent at each line, and by how much it is likelier than none. */
type Judged = readonly (Omit<Due, "line"> & { readonly margin: number })[];

function judge(reader: Reader, chances: Chances, lines: Lines): Judged {
  return lines.map(({ matter }, at) => {
    const scores = chances(inSight(reader, lines, at));
    const none = scores.find(([label]) => label === NONE)?.[1] ?? 0;
    const likeliest = scores.filter(([label]) => label !== NONE).toSorted((one, other) => other[1] - one[1])[0];
    const [intent, most] = likeliest ?? ["", Number.NEGATIVE_INFINITY];
    return { matter, intent, margin: most - none };
  });
}

function suggest(judged: Judged, threshold: number): readonly Due[] {
  const made = new Set<string>();
  return judged.flatMap(({ matter, intent, margin }, at) => {
    const key = `${intent}: ${matter}`;
    if (margin < threshold || made.has(key)) return [];
    made.add(key);
    return [{ line: at + 1, intent, matter }];
  });
}

export interface Result {
  readonly f1: number;
  readonly alarms: number;
}

/** Means over logs. */
export function measure(logs: readonly IntentLog[], read: (lines: Lines) => readonly Due[]): Result {
  const all = logs.map(({ lines, dues }) => compareDues(read(lines), dues, LATE));
  return {
    f1: mean(all.map(({ hits, alarms, missed }) => (2 * hits) / (2 * hits + alarms + missed))),
    alarms: mean(all.map(({ alarms }) => alarms)),
  };
}

export function logsOf(seed: string | number, count: number): IntentLog[] {
  return Array.from({ length: count }, (_, at) => intentLog(createRng(`intents ${seed}`).split(at)));
}

/** A reader that has learnt from logs of this seed. */
export function createReader(reader: Reader, seed: string | number): (lines: Lines) => readonly Due[] {
  const logs = logsOf(`learn ${seed}`, LEARNT);
  const chances = learn(reader, logs);
  const judged = new Map(logs.map(({ lines }) => [lines, judge(reader, chances, lines)]));
  const thresholds = Array.from({ length: 25 }, (_, at) => -3 + at / 4);
  const worth = thresholds.map((one) => measure(logs, (lines) => suggest(judged.get(lines) ?? [], one)).f1);
  const best = thresholds[worth.indexOf(Math.max(...worth))] ?? 0;
  return (lines) => suggest(judge(reader, chances, lines), best);
}
