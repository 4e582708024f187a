/**
 * A finite pool of training tasks: drawn once by the seed of the run, and visited in epochs, each in an order of its own.
 * Which tasks an update plays follows from the seed and its number alone, so that a resumed run goes on in the order.
 */
import { EngineError } from "../base/errors.ts";
import { createRng, shuffle } from "../base/rng.ts";
import type { Env } from "../env/env.ts";
import type { Task } from "../trajectory/trajectory.ts";
import type { Settings } from "./settings.ts";

/** Endless splits are the same everywhere, so that a seed begins somewhere of its own. */
const APART = 100_000;

export interface PoolPlan {
  /** Tasks of the pool. */
  readonly size: number;
  /** Tasks of one update. */
  readonly count: number;
  /** Decides which tasks the pool holds. Default: as `seed`. */
  readonly drawn?: number;
  /** Decides in which order they come. */
  readonly seed: number;
}

interface Training {
  readonly env: Env;
  readonly settings: Settings;
  readonly seed: number;
}

/** The pool that the settings ask for, never larger than the split; undefined where tasks have no end. */
export function poolOf({ env, settings, seed }: Training): PoolPlan | undefined {
  const { tasks, "tasks.pool": asked, "tasks.seed": drawn } = settings;
  if (asked === null) return undefined;
  const size = Math.min(asked, trainTasks(env));
  return { size, count: Math.min(tasks, size), drawn: drawn ?? seed, seed };
}

/** An update plays each of its tasks once, so that a pool below that would change the size of the batch unsaid. */
export function requirePool({ tasks, "tasks.pool": asked }: Settings): void {
  if (asked === null || asked >= tasks) return;
  throw new EngineError(
    "bad-option",
    `The setting tasks.pool is ${asked}, and an update plays ${tasks} tasks, each once. Give a pool of at least ${tasks}, or --set tasks=${asked}.`,
  );
}

function trainTasks({ splits }: Env): number {
  return splits["train"] ?? Number.POSITIVE_INFINITY;
}

/** Where in the training split each task of the pool is. */
export function poolOffsets(env: Env, { size, seed, drawn = seed }: PoolPlan): number[] {
  const total = trainTasks(env);
  const places = Array.from({ length: Number.isFinite(total) ? total : size }, (_, place) => place);
  if (!Number.isFinite(total)) return places.map((place) => drawn * APART + place);
  return shuffle(places, createRng(drawn).split("pool")).slice(0, size);
}

/** The tasks of a pool, in the order they were drawn in. */
export async function poolTasks(env: Env, pool: PoolPlan): Promise<Task[]> {
  return await tasksAt(env, poolOffsets(env, pool));
}

/** The tasks of an update. */
export async function tasksOfPool(env: Env, pool: PoolPlan, update: number): Promise<Task[]> {
  const offsets = poolOffsets(env, pool);
  return await tasksAt(
    env,
    placesOf(pool, update).map((place) => offsets[place] as number),
  );
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
  let last: readonly number[] = [];
  for (let epoch = 0; epoch * size < until; epoch += 1) {
    const begun = (epoch * size) % count;
    const held = new Set(begun === 0 ? [] : last.slice(-begun));
    const shuffled = shuffle([...Array(size).keys()], rng.split(epoch));
    const first = shuffled.filter((place) => !held.has(place)).slice(0, begun === 0 ? 0 : count - begun);
    const order = [...first, ...shuffled.filter((place) => !first.includes(place))];
    found.push(...order.slice(Math.max(0, from - epoch * size), Math.max(0, until - epoch * size)));
    last = order;
  }
  return found;
}

/** One call for each stretch of neighbours: endless splits come as one. */
async function tasksAt(env: Env, offsets: readonly number[]): Promise<Task[]> {
  const tasks: Task[] = [];
  for (let at = 0; at < offsets.length;) {
    const offset = offsets[at] as number;
    let count = 1;
    while (offsets[at + count] === offset + count) count += 1;
    for await (const task of env.tasks("train", { offset, count })) tasks.push(task);
    at += count;
  }
  return tasks;
}
