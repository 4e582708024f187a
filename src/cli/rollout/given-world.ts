/** The world and the tasks that the options of a command describe. */
import { getWorld, type Env, type World, type WorldOptions } from "../../env/index.ts";
import { namedOptions } from "../../env/named-world.ts";
import { demonstratorsOf } from "../../env/world.ts";
import { worldWords } from "../../env/world-words.ts";
import { DEFAULTS } from "../../run/defaults.ts";
import { chooseTasks, splitOf, type Played } from "../../run/parts.ts";
import type { Task } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { cleanLine } from "../look/clean-text.ts";
import { plural } from "../look/units.ts";
import { maybeCount } from "../model/open-given.ts";
import { loadWorldPart } from "../natives.ts";
import { withGivenExperts } from "../orchestrate/given-experts.ts";
import { givenValues } from "../play/world-options.ts";
import { usageError } from "../parse.ts";

export interface GivenWorld {
  readonly id: string;
  readonly world: World;
  readonly options: WorldOptions;
  readonly env: Env;
}

export async function givenWorld(invocation: Invocation, command: string): Promise<GivenWorld> {
  const id = invocation.text("env");
  if (id === undefined) throw usageError(`"limbeck ${command}" needs --env ID; limbeck envs lists them.`);
  const world = await getWorld(id);
  await loadWorldPart(world);
  const options = namedOptions(id, world, givenValues(invocation, "env-set"));
  const { env } = await withGivenExperts(invocation, world, await world.create(options));
  return { id, world: { ...world, demonstrators: demonstratorsOf(world, env) }, options, env };
}

/** Tasks of --split from --offset on; `counted` is the option that says how many. */
export async function givenTasks(
  invocation: Invocation,
  env: Env,
  what: Played,
  counted = "tasks",
): Promise<readonly Task[]> {
  const split = invocation.text("split") ?? splitOf(what, env.splits);
  const given = { tasks: maybeCount(invocation, counted), split, offset: maybeCount(invocation, "offset", 0) };
  return await chooseTasks({ env }, given, DEFAULTS.tasks[what]);
}

/** Which tasks a figure is of, for machines: the fields of the JSON lines that hold one. */
export interface FigurePlace {
  readonly env: string;
  readonly envOptions: WorldOptions;
  readonly split: string;
}

export function placeOf({ id, options }: GivenWorld, tasks: readonly Task[]): FigurePlace {
  return { env: id, envOptions: options, split: tasks[0]?.split ?? "" };
}

/** The same for people, before anything is played: "household (dial tiny), split test, 50 tasks". */
export function sayPlace(invocation: Invocation, { env, envOptions, split }: FigurePlace, tasks: number): void {
  const world = cleanLine(worldWords(env, envOptions));
  invocation.print(`${invocation.style.bold(world)}, split ${cleanLine(split)}, ${plural(tasks, "task")}`);
}
