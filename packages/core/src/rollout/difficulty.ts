/**
 * How hard a task probably is, from tasks like it that were rolled out lately, and which tasks to choose by that. What a rule
 * passes over comes to its turn all the same: no task is out of reach for ever.
 */
import { mean } from "limbeck-base/base/statistics/summary";
import type { Rng } from "limbeck-base/base/rng";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { wordSet } from "limbeck-base/base/words";
import { softmax } from "../walk/shares.ts";

export interface Reference {
  readonly vector: readonly number[];
  readonly accuracy: number;
}

const WIDTH = 64;

/** A text as a direction: its words, each at a place and with a sign that follow from its letters. */
export function embed(text: string): number[] {
  const vector: number[] = Array.from({ length: WIDTH }, () => 0);
  for (const word of wordSet(text)) {
    const hash = hashOf(word);
    const at = hash % WIDTH;
    vector[at] = (vector[at] ?? 0) + ((hash >>> 16) % 2 === 0 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** softmax(q . r / sqrt(d) / temperature) over the references. */
export function attention(query: readonly number[], references: readonly Reference[], temperature: number): number[] {
  const width = Math.sqrt(query.length) * temperature;
  return softmax(references.map(({ vector }) => dot(query, vector) / width));
}

export interface PredictionOptions {
  readonly temperature: number;
  /** The logit is divided by the one and moved by the other. */
  readonly scale?: number;
  readonly bias?: number;
}

/** Expected accuracy: the references' by attention, as a logit that is scaled and moved. */
export function expectedAccuracy(
  query: readonly number[],
  references: readonly Reference[],
  { temperature, scale = 1, bias = 0 }: PredictionOptions,
): number {
  const weights = attention(query, references, temperature);
  const raw = references.reduce((total, { accuracy }, at) => total + accuracy * (weights[at] ?? 0), 0);
  const held = Math.min(Math.max(raw, 1e-3), 1 - 1e-3);
  return 1 / (1 + Math.exp(-(Math.log(held / (1 - held)) / scale + bias)));
}

const LEAST_FOR_LINE = 8;

/**
 * The same for many tasks, corrected by the line that fits the references best when each is predicted by the others. Both
 * the prediction and what came of it count from the mean of those others: a reference that did better than the rest leaves
 * a lower mean behind, so that as they are, predictions would run against what came of them.
 */
export function expectedAccuracies(
  queries: readonly (readonly number[])[],
  references: readonly Reference[],
  options: PredictionOptions,
): number[] {
  if (references.length === 0) return queries.map(() => 0.5);
  if (references.length < LEAST_FOR_LINE) return queries.map((query) => expectedAccuracy(query, references, options));
  const middle = (of: readonly Reference[]): number => mean(of.map(({ accuracy }) => accuracy));
  const alone = references.map(({ vector, accuracy }, at) => {
    const others = references.filter((_, other) => other !== at);
    return { expected: expectedAccuracy(vector, others, options) - middle(others), came: accuracy - middle(others) };
  });
  const { slope, offset } = fitLine(alone.map(({ expected }) => expected), alone.map(({ came }) => came)); // prettier-ignore
  const all = middle(references);
  return queries.map((query) => {
    const expected = all + offset + slope * (expectedAccuracy(query, references, options) - all);
    return Math.min(1, Math.max(0, expected));
  });
}

/** A goal that was rolled out lately, and the share of its episodes that succeeded. */
export interface KnownGoal {
  readonly goal: string;
  readonly accuracy: number;
}

/** Expected accuracies of tasks by the words of their goals; 0.5 while nothing is known. */
export function expectedOfTasks(
  tasks: readonly Task[],
  known: readonly KnownGoal[],
  options: PredictionOptions,
): number[] {
  const references = known.map(({ goal, accuracy }) => ({ vector: embed(goal), accuracy }));
  return expectedAccuracies(tasks.map(({ goal }) => embed(goal)), references, options); // prettier-ignore
}

/** What is known with one goal more: what was known of it before is forgotten, and so are the oldest beyond `most`. */
export function withGoal(known: readonly KnownGoal[], { goal, accuracy }: KnownGoal, most: number): KnownGoal[] {
  return [...known.filter((one) => one.goal !== goal), { goal, accuracy }].slice(-most);
}

/** Least squares. Where the points do not differ, or run the wrong way, all are predicted by the mean. */
export function fitLine(from: readonly number[], to: readonly number[]): { slope: number; offset: number } {
  const [x, y] = [mean(from), mean(to)];
  const spread = from.reduce((total, value) => total + (value - x) ** 2, 0);
  const joint = from.reduce((total, value, at) => total + (value - x) * ((to[at] ?? 0) - y), 0);
  const slope = spread < 1e-12 ? 0 : Math.max(0, joint / spread);
  return { slope, offset: y - slope * x };
}

/** exp(-|d - 0.5| / tau), as chances. */
export function selectionChances(accuracies: readonly number[], tau: number): number[] {
  return softmax(accuracies.map((accuracy) => -Math.abs(accuracy - 0.5) / tau));
}

/** So many places, drawn without replacement with those chances; in their own order. */
export function selectByDifficulty(accuracies: readonly number[], count: number, tau: number, rng: Rng): number[] {
  // Adding Gumbel noise to the logarithms and taking the largest draws one after another without replacement.
  const keys = accuracies.map((accuracy) => -Math.abs(accuracy - 0.5) / tau - Math.log(-Math.log(uniform(rng))));
  return [...keys.keys()]
    .toSorted((left, right) => (keys[right] as number) - (keys[left] as number) || left - right)
    .slice(0, count)
    .toSorted((left, right) => left - right);
}

/** How often in a row each task was passed over. */
export type PassedOver = Readonly<Record<string, number>>;

/** Turns in a row after which a task is rolled out whatever the rule says. */
const MOST_PASSED = 4;
/** Tasks that are remembered; those of a split without end do not come again. */
const MOST_REMEMBERED = 100_000;

/** The places that a rule chose; where tasks have waited for too long, those take the places of the rule's last ones. */
export function withOverdue(tasks: readonly Task[], chosen: readonly number[], passed: PassedOver): number[] {
  const waited = (at: number): number => passed[(tasks[at] as Task).id] ?? 0;
  const overdue = [...tasks.keys()]
    .filter((at) => waited(at) >= MOST_PASSED)
    .toSorted((left, right) => waited(right) - waited(left) || left - right);
  return [...new Set([...overdue, ...chosen])].slice(0, chosen.length).toSorted((left, right) => left - right);
}

/** After a rollout of some of the tasks given. */
export function passedAfter(passed: PassedOver, tasks: readonly Task[], chosen: readonly number[]): PassedOver {
  const now = new Map(Object.entries(passed));
  for (const [at, { id }] of tasks.entries()) {
    const before = now.get(id) ?? 0;
    now.delete(id);
    if (!chosen.includes(at)) now.set(id, before + 1);
  }
  return Object.fromEntries([...now].slice(-MOST_REMEMBERED));
}

function uniform(rng: Rng): number {
  return Math.max(rng.float(), 1e-12);
}

function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((total, value, at) => total + value * (right[at] ?? 0), 0);
}

/** FNV-1a. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (const letter of word) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash;
}
