/** Worlds to play in: fresh tasks of the registered ones, or the place of a stored step. */
import { EngineError } from "limbeck-base/base/errors";
import { stampsOf } from "limbeck-base/base/stamps";
import { envs, getWorld } from "limbeck-worlds/index";
import { type Allowed, checkStoredOptions } from "limbeck-core/env/stored-options";
import type { Env } from "limbeck-core/env/env";
import type { WorldOptions } from "limbeck-core/env/world";
import { formerOptions } from "limbeck-core/env/named-world";
import type { RunSummary } from "limbeck-store/store/store";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { PlayMenu } from "../api/play.ts";
import type { RunList } from "../runs/run-list.ts";
import { basename, join } from "node:path";
import { bundledAddress, bundledNames } from "limbeck-policy/policy/local/bundled-model";

export async function playMenu(root: string, runs: RunList, own: readonly string[]): Promise<PlayMenu> {
  const worlds = await Promise.all(Object.keys(envs).map(worldItem));
  const trained = (await runs.listed()).flatMap(({ summary: { id, kind } }) => (kind === "train" ? [id] : []));
  const stamps = await stampsOf(trained.map((id) => join(root, id, "model", "config.json")));
  const models: PlayMenu["policies"] = [];
  for (const id of trained.filter((_, at) => stamps[at] !== undefined)) {
    const { env, updates } = await runs.one(id);
    const when = updates === null ? "" : `, after ${updates.done === 1 ? "1 update" : `${updates.done} updates`}`;
    models.push({ id: `run:${id}`, label: `${id}${when}`, env: env === null ? null : worldName(env).id });
  }
  const bundled = bundledNames.map((env) => ({ id: bundledAddress(env), label: `bundled model of ${env}`, env }));
  const given = own.map((folder, at) => ({ id: `own:${at}`, label: `${basename(folder)} (--model)`, env: null }));
  return { worlds, policies: [...given, ...bundled, ...models] };
}

async function worldItem(id: string): Promise<PlayMenu["worlds"][number]> {
  const world = await getWorld(id);
  try {
    const { splits } = await world.create();
    const sizes = Object.entries(splits).map(([name, tasks]) => ({
      name,
      tasks: Number.isFinite(tasks) ? tasks : null,
    }));
    return { id, summary: world.info.meaning, splits: sizes, problem: null };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { id, summary: world.info.meaning, splits: [], problem };
  }
}

export async function freshTask(
  id: string,
  split: string | undefined,
  index: number,
): Promise<{ readonly env: Env; readonly task: Task }> {
  const env = await (await getWorld(id)).create();
  const chosen = split ?? Object.keys(env.splits)[0] ?? "";
  if (!Object.hasOwn(env.splits, chosen)) {
    throw new EngineError(
      "bad-request",
      `${id} has no split "${chosen}". Known: ${Object.keys(env.splits).join(", ")}.`,
    );
  }
  for await (const task of env.tasks(chosen, { offset: index, count: 1 })) return { env, task };
  throw new EngineError("bad-request", `Split "${chosen}" of ${id} has ${env.splits[chosen]} tasks; ${index} is none.`);
}

/** The world of a stored trajectory, made as its run made it, as far as that is allowed. */
export async function storedWorld(
  { id: run, config }: RunSummary,
  { task }: Trajectory,
  allowed: Allowed,
): Promise<Env> {
  const id = task.env;
  if (!Object.hasOwn(envs, id)) {
    throw new EngineError("bad-request", `"${id}" is no world of this program, so it cannot be played here.`);
  }
  const named = typeof config["env"] === "string" ? worldName(config["env"]).options : undefined;
  const given = config["envOptions"];
  const beside = typeof given === "object" && given !== null && !Array.isArray(given) ? (given as WorldOptions) : {};
  const options = formerOptions(id, named ?? beside);
  const world = await getWorld(id);
  checkStoredOptions({ id, world, options, source: `The run "${run}"`, allowed, command: "limbeck studio" });
  return await world.create(options);
}

/** Trainings store the world's name with its options behind it. */
function worldName(text: string): { readonly id: string; readonly options: WorldOptions | undefined } {
  const [, id, options] = /^(\S+)\s+(\{.*\})$/s.exec(text) ?? [];
  if (id === undefined || options === undefined) return { id: text, options: undefined };
  try {
    return { id, options: JSON.parse(options) as WorldOptions };
  } catch {
    return { id, options: undefined };
  }
}
