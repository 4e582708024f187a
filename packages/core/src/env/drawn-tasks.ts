/**
 * Tasks without end that are drawn from a seed, with splits that cannot overlap: a situation belongs to the split that its own
 * hash names, whatever seed or number drew it, and each split keeps only its own.
 */
import { createHash } from "node:crypto";
import { createRng, type Rng } from "limbeck-base/base/rng";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Env, Episode } from "./env.ts";
import { numberedTasks } from "./task-file.ts";
import { keepLatest } from "./keep-latest.ts";

export const drawnSplits = ["train", "valid", "test"] as const;
/** Their sizes: none of them ends. */
export const endlessSplits: Env["splits"] = Object.fromEntries(
  drawnSplits.map((split) => [split, Number.POSITIVE_INFINITY]),
);

/** One situation in ten belongs to each of the small splits. */
const MOST_DRAWS = 10_000;

/** A task is drawn when it is listed, and again whenever it is opened: as often as a group has members. */
const KEPT = 256;

export interface DrawnWorld<Situation> {
  readonly id: string;
  readonly seed: number;
  /** How hard, in words that `draw` understands; it stands in every task, so that any copy of the world can open it. */
  readonly dial: string;
  /** Episodes of a task share what is drawn, and change nothing of it. */
  readonly draw: (dial: string, rng: Rng) => Situation;
  /** What makes two situations the same: it must not be met in two splits. */
  readonly key: (situation: Situation) => string;
  readonly goal: (situation: Situation) => string;
  /** What else a task holds, for rewards. Default: nothing. */
  readonly data?: (situation: Situation) => JsonObject;
}

export interface DrawnTasks<Situation> extends Pick<Env, "splits" | "tasks"> {
  /** The situation of a task. A task of another kind is refused by name. */
  readonly situationOf: (task: Task) => Situation;
}

export function drawnTasks<Situation>(world: DrawnWorld<Situation>): DrawnTasks<Situation> {
  const { id, seed, dial } = world;
  const drawn = keepLatest(KEPT, (place) => drawOf(world, JSON.parse(place) as DrawKey));
  const situationAt = (place: DrawKey): Situation => drawn(JSON.stringify(place));
  return {
    splits: endlessSplits,
    tasks: (split, range) =>
      numberedTasks(id, endlessSplits, split, range, (index) => {
        const situation = situationAt({ seed, dial, split, index });
        return {
          id: `${id}/${dial.replaceAll(" ", "-")}/${seed}/${split}/${index}`,
          env: id,
          seed,
          goal: world.goal(situation),
          split,
          data: { ...world.data?.(situation), dial, index },
        };
      }),
    situationOf: (task) => {
      const { dial: own, index } = task.data ?? {};
      const usable = typeof own === "string" && typeof index === "number" && Number.isInteger(index) && index >= 0;
      if (task.env === id && usable && isSplit(task.split)) {
        return situationAt({ seed: task.seed, dial: own, split: task.split, index });
      }
      throw new EngineError(
        "bad-task",
        `Task "${task.id}" is no task of ${id}: it needs env "${id}", a split of ${drawnSplits.join(", ")}, and data with a dial and an index, whole and at least 0. Take one from env.tasks().`,
        { details: { task: task.id } },
      );
    },
  };
}

export interface DrawnEnv<Situation>
  extends Omit<DrawnWorld<Situation>, "seed" | "dial">, Pick<Env, "summary" | "maxSteps"> {
  /** Default: 1. */
  readonly seed?: number;
  /** Default: "standard". */
  readonly dial?: string;
  readonly open: (task: Task, situation: Situation) => Episode;
}

/**
 * An environment of drawn tasks, without end, in the splits train, valid and test. What `draw` draws belongs to the one split
 * that its `key` names, so nothing that is held out was ever trained on.
 *
 * @example
 * import { episodeOf } from "limbeck/env";
 *
 * const env = drawnEnv<number>({
 *   id: "count",
 *   summary: "Say a number.",
 *   maxSteps: 1,
 *   draw: (_dial, rng) => rng.int(1_000),
 *   key: String,
 *   goal: (number) => `Say ${number}.`,
 *   open: (task, number) =>
 *     episodeOf(task, "", {
 *       observation: () => task.goal,
 *       stateKey: (said) => said,
 *       ending: (said) => (said === "" ? undefined : "terminated"),
 *       reward: (said) => scored(Number(said === `${number}`)),
 *       success: (said) => (said === "" ? null : said === `${number}`),
 *       step: (_, said) => ({ state: said, valid: true, reward: scored(Number(said === `${number}`)) }),
 *     }),
 * });
 * console.log(Object.keys(env.splits)); // [ "train", "valid", "test" ]
 */
export function drawnEnv<Situation>(given: DrawnEnv<Situation>): Env {
  const world = { seed: 1, dial: "standard", ...given };
  const { splits, tasks, situationOf } = drawnTasks(world);
  const { id, summary, maxSteps } = world;
  const open: Env["open"] = async (task, { signal } = {}) => {
    throwIfAborted(signal);
    return Promise.resolve(world.open(task, situationOf(task)));
  };
  return { id, summary, maxSteps, splits, tasks, open };
}

interface DrawKey {
  readonly seed: number;
  readonly dial: string;
  readonly split: string;
  readonly index: number;
}

function drawOf<Situation>({ id, draw, key }: DrawnWorld<Situation>, { seed, dial, split, index }: DrawKey): Situation {
  const rng = createRng(seed).split(`${id} ${dial}`).split(`${split} ${index}`);
  for (let tried = 0; tried < MOST_DRAWS; tried += 1) {
    const situation = draw(dial, rng);
    if (splitOf(key(situation)) === split) return situation;
  }
  throw new EngineError("no-puzzle", `No task of ${id} was found for "${split}" in ${MOST_DRAWS} draws at "${dial}".`);
}

/** Eight situations in ten are for training, one each for the others. */
export function splitOf(key: string): (typeof drawnSplits)[number] {
  const bucket = createHash("sha256").update(key).digest().readUInt16LE(0) % 10;
  return bucket === 0 ? "valid" : bucket === 1 ? "test" : "train";
}

function isSplit(split: string): boolean {
  return drawnSplits.some((name) => name === split);
}
