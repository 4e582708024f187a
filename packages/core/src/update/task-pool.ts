/**
 * The training tasks of a run where they have an end: a whole split, or a pool that the seed draws from it. They are visited
 * in epochs, each in an order of its own, so that after any update every task was played as often as any other, give or take
 * one. Which tasks an update plays follows from the seed and its number alone: a resumed run goes on in the order.
 */
import { EngineError } from "limbeck-base/base/errors";
import { createRng, LARGEST_ORDER, shuffledOrder } from "limbeck-base/base/rng";
import type { Env } from "../env/env.ts";
import { splitTasks } from "../env/world-faults.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Settings } from "./settings.ts";

/** Endless splits are the same everywhere, so that a seed begins somewhere of its own. */
const APART = 100_000;

export interface PoolPlan {
  /** Tasks of the pool. */
  readonly size: number;
  /** Tasks of one update. */
  readonly count: number;
  /** Decides which tasks of the split the pool holds. Default: the first `size`, which of a whole split are all. */
  readonly drawn?: number;
  /** Decides in which order they come. */
  readonly seed: number;
}

interface Training {
  readonly env: Env;
  readonly settings: Settings;
  readonly seed: number;
}

/** The pool that the settings ask for, never larger than the split; without one the split; undefined where tasks have no end. */
export function poolOf({ env, settings, seed }: Training): PoolPlan | undefined {
  const { count: wanted, pool: asked, seed: drawn } = settings.tasks;
  const total = trainTasks(env);
  if (asked === null && !isCounted(total)) return undefined;
  const size = Math.min(asked ?? total, total);
  const count = Math.min(wanted, size);
  return asked === null ? { size, count, seed: drawn ?? seed } : { size, count, drawn: drawn ?? seed, seed };
}

/** An update plays each of its tasks once, so that a pool below that would change the size of the batch unsaid. */
export function requirePool({ tasks: { count: tasks, pool: asked } }: Settings): void {
  if (asked === null || asked >= tasks) return;
  throw new EngineError(
    "bad-option",
    `The setting tasks.pool is ${asked}, and an update plays ${tasks} tasks, each once. Give a pool of at least ${tasks}, or --set tasks=${asked}.`,
  );
}

function trainTasks({ splits }: Env): number {
  return Math.floor(splits["train"] ?? Number.POSITIVE_INFINITY);
}

/** Too many to exhaust: they are played one after the other, from a place of the seed's own on. */
function isCounted(total: number): boolean {
  return total <= LARGEST_ORDER;
}

/** Where the tasks of an update begin in a split without end. */
export function endlessOffset(seed: number, update: number, count: number): number {
  return seed * APART + (update - 1) * count;
}

/** Where in the training split a task of the pool is, by its place in the pool. */
export function poolOffset(env: Env, { drawn }: PoolPlan): (place: number) => number {
  if (drawn === undefined) return (place) => place;
  const total = trainTasks(env);
  if (!isCounted(total)) return (place) => drawn * APART + place;
  return shuffledOrder(total, createRng(drawn).split("pool"));
}

/** The tasks of a pool, in the order they were drawn in. */
export async function poolTasks(env: Env, pool: PoolPlan): Promise<Task[]> {
  return await tasksAt(env, Array.from({ length: pool.size }, (_, place) => place).map(poolOffset(env, pool)));
}

/** The tasks of an update. */
export async function tasksOfPool(env: Env, pool: PoolPlan, update: number): Promise<Task[]> {
  return await tasksAt(env, placesOf(pool, update).map(poolOffset(env, pool)));
}

/** How often the tasks of an update were visited before it, on average. */
export function visitsBefore({ size, count }: PoolPlan, update: number): number {
  const from = (update - 1) * count;
  const visits = Array.from({ length: count }, (_, at) => Math.floor((from + at) / size));
  return visits.reduce((total, one) => total + one, 0) / count;
}

/**
 * Which tasks of the pool an update plays: each once before any twice. Where an epoch ends within an update, the next one
 * begins with tasks that the update does not hold yet.
 */
export function placesOf({ size, count, seed }: PoolPlan, update: number): number[] {
  const [from, until] = [(update - 1) * count, update * count];
  const rng = createRng(seed).split("epochs");
  const found: number[] = [];
  let last: Order | undefined;
  // An epoch that begins with an update needs none before it. In one of two updates and more, what is moved to the beginning
  // leaves the end as it was, so that the epoch before is enough.
  let first = Math.floor(from / size);
  for (let back = 0; (first * size) % count !== 0 && back < (size < 2 * count ? count : 1); back += 1) first -= 1;
  for (let epoch = first; epoch * size < until; epoch += 1) {
    const begun = epoch === first ? 0 : (epoch * size) % count;
    const shuffled = shuffledOrder(size, rng.split(epoch));
    const order = begun === 0 || last === undefined ? shuffled : beginningAfter(last, shuffled, { size, count, begun });
    for (let at = Math.max(from, epoch * size); at < Math.min(until, (epoch + 1) * size); at += 1) {
      found.push(order(at - epoch * size));
    }
    last = order;
  }
  return found;
}

type Order = (place: number) => number;

/**
 * The order of an epoch that begins within an update, which holds `begun` tasks of the epoch before: those stand behind the
 * others among the first `count`, of which enough are left to fill the update.
 */
function beginningAfter(
  last: Order,
  shuffled: Order,
  { size, count, begun }: { readonly size: number; readonly count: number; readonly begun: number },
): Order {
  const held = new Set(Array.from({ length: begun }, (_, at) => last(size - begun + at)));
  const head = Array.from({ length: count }, (_, place) => shuffled(place));
  const free = head.filter((place) => !held.has(place)).slice(0, count - begun);
  const order = [...free, ...head.filter((place) => !free.includes(place))];
  return (place) => order[place] ?? shuffled(place);
}

/** One call for each stretch of neighbours: endless splits come as one. */
async function tasksAt(env: Env, offsets: readonly number[]): Promise<Task[]> {
  const tasks: Task[] = [];
  for (let at = 0; at < offsets.length;) {
    const offset = offsets[at] as number;
    let count = 1;
    while (offsets[at + count] === offset + count) count += 1;
    tasks.push(...(await splitTasks(env, "train", { offset, count })));
    at += count;
    if (tasks.length === at) continue;
    throw new EngineError(
      "bad-world",
      `The world ${env.id} names ${env.splits["train"]} tasks in its split "train", but tasks("train", { offset: ${offset}, count: ${count} }) gave ${tasks.length - at + count}. Let "splits" say how many there are.`,
      { details: { env: env.id, offset, count } },
    );
  }
  return tasks;
}
