/** The world and the tasks that the options of a command describe. */
import { getWorld, type Env, type World, type WorldOptions } from "../../env/index.ts";
import { namedOptions } from "../../env/named-world.ts";
import { demonstratorsOf } from "../../env/world.ts";
import { chooseTasks } from "../../run/parts.ts";
import type { Task } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
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
  counted: { readonly option: string; readonly otherwise: number },
): Promise<readonly Task[]> {
  const tasks = maybeCount(invocation, counted.option);
  const given = { tasks, split: invocation.text("split"), offset: maybeCount(invocation, "offset", 0) };
  return await chooseTasks({ env }, given, counted.otherwise);
}
