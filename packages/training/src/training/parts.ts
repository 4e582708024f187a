/** The parts that trainings, evaluations and rollouts share: wherever one is asked for, its name or the part itself will do. */
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { errorCode } from "limbeck-base/base/errors";
import { namesFile, readWorldWord, splitName } from "limbeck-base/base/parts/part";
import { getWorld } from "limbeck-worlds/index";
import type { Demonstrator } from "limbeck-core/env/expert";
import type { Env } from "limbeck-core/env/env";
import { type WorldOptions, demonstratorsOf } from "limbeck-core/env/world";
import { namedOptions } from "limbeck-core/env/named-world";
import { rewardTrajectories } from "limbeck-core/reward/registry";
import { type RewardPlan, plannedName } from "limbeck-core/reward/plan";
import { scored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { bundledStart } from "limbeck-policy/policy/starts";
import { asWalked } from "limbeck-base/trajectory/tally";
import { withScorers } from "./scorer/plan-scorers.ts";

export interface WorldPart {
  /** A world by name, `python:MODULE`, or one of your own. Default: "household". */
  readonly env?: string | Env;
  /** Options of a world that is named. Default: the world's own. */
  readonly envOptions?: WorldOptions;
  /** How a world that is given is called in the run's records. Default: its id. */
  readonly envName?: string;
  /** The same world by name, so that others can open it too. Default: what `env` and `envOptions` say. */
  readonly world?: { readonly id: string; readonly options: WorldOptions };
  /** The demonstrator. Default: the first of a world that is named. */
  readonly demonstrator?: Demonstrator | undefined;
}

export interface OpenedWorld {
  readonly env: Env;
  readonly id: string;
  readonly name: string;
  /** Undefined where no other process can open it. */
  readonly options: WorldOptions | undefined;
  readonly demonstrator: Demonstrator | undefined;
  /** All scripted agents of a world that is named. */
  readonly demonstrators: Readonly<Record<string, Demonstrator>>;
}

/**
 * Opens a world by its name, or takes one that is given, with what is known of it.
 *
 * @example
 * const { env, options } = await openWorld({ env: "household" });
 * console.log(env.id, options); // household { dial: "tiny" }
 */
export async function openWorld(part: WorldPart): Promise<OpenedWorld> {
  const { env: asked = "household", demonstrator } = part;
  if (typeof asked !== "string") {
    const { id, options } = part.world ?? { id: asked.id, options: undefined };
    const { demonstrators = {} } = asked;
    const [own] = Object.values(demonstrators);
    const name = part.envName ?? asked.id;
    return { env: asked, id, name, options, demonstrator: demonstrator ?? own, demonstrators };
  }
  const { id, options: said } = readWorldWord(asked);
  const world = await getWorld(id);
  const options = namedOptions(id, world, { ...said, ...part.envOptions });
  const env = await world.create(options);
  const demonstrators = demonstratorsOf(world, env);
  return {
    env,
    id,
    name: part.envName ?? worldName(id, options),
    options,
    demonstrator: demonstrator ?? Object.values(demonstrators)[0],
    demonstrators,
  };
}

/** How a world was asked for, as it is stored and compared when a run is resumed. */
export function worldName(id: string, options: WorldOptions): string {
  return `${id} ${JSON.stringify(options)}`;
}

/** Room for the answers of a world; a preset says its own. */
export function roomFor(world: string, preset?: string): { readonly answerTokens?: number } {
  const start = preset === undefined ? bundledStart(world) : undefined;
  return start?.answerTokens === undefined ? {} : { answerTokens: start.answerTokens };
}

/** A world without such a split is measured on what it has, its last one; never on "train" if there is another. */
export function heldOut(splits: Readonly<Record<string, number>>, wanted: string): string {
  if (Object.hasOwn(splits, wanted)) return wanted;
  const others = Object.keys(splits).filter((name) => name !== "train");
  const found = others.find((name) => name.startsWith(wanted)) ?? others.at(wanted === "valid" ? 0 : -1);
  return found ?? "train";
}

/** Settings are never chosen on test tasks: a world that has nothing else beside is measured on its training tasks. */
export function validationSplit(splits: Readonly<Record<string, number>>): string {
  const names = Object.keys(splits).filter((name) => !name.startsWith("test"));
  const own = names.find((name) => name.startsWith("valid")) ?? names.find((name) => name !== "train");
  return own ?? names[0] ?? "train";
}

/** A name that sorts by time. */
export function newRunName(what: string, now: number): string {
  // A part of a file is named by its path.
  const short = namesFile(what) ? basename(splitName(what).file).replace(/\.\w+$/, "") : what;
  return `${short}-${new Date(now).toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15)}`;
}

/**
 * A new folder whose name sorts by time. It is made at once, so that no other run begun in the same second takes it; the
 * second one of a second ends with -2.
 */
export async function newRunFolder(root: string, what: string, now: number): Promise<string> {
  const name = newRunName(what, now);
  await mkdir(root, { recursive: true });
  for (let number = 1; ; number += 1) {
    const folder = join(root, number === 1 ? name : `${name}-${number}`);
    try {
      await mkdir(folder);
      return folder;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}

/** What an episode is worth: a function of one episode, a reward by name, or a plan of several. */
export type RewardPart = ((trajectory: Trajectory) => number | Promise<number>) | string | RewardPlan;

/** Episodes with the reward that the part gives them in the place of the world's own. */
export function rewarding(part: RewardPart): (episodes: readonly Trajectory[]) => Promise<readonly Trajectory[]> {
  if (typeof part === "function") {
    return async (episodes) =>
      asWalked(episodes, await Promise.all(episodes.map(async (one) => ({ ...one, reward: scored(await part(one)) }))));
  }
  const plan = typeof part === "string" ? { rewards: [{ use: part }], reward: plannedName({ use: part }) } : part;
  return async (episodes) => {
    const scorers = withScorers(plan);
    try {
      return asWalked(episodes, (await rewardTrajectories(episodes, scorers.plan)).trajectories);
    } finally {
      await scorers.close();
    }
  };
}

/** The same, and what came of it goes to the sink. */
export async function rewardEpisodes(
  part: RewardPart,
  episodes: readonly Trajectory[],
  sink: { append(trajectory: Trajectory): Promise<void> } | undefined,
): Promise<readonly Trajectory[]> {
  const all = await rewarding(part)(episodes);
  for (const trajectory of all) await sink?.append(trajectory);
  return all;
}
