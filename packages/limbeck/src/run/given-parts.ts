/** The world, its tasks and who acts, as the inputs of an operation describe them. */
import { resolve } from "node:path";
import { usageError } from "limbeck-base/base/errors";
import type { Context, Input } from "limbeck-base/base/operation";
import { getWorld } from "limbeck-worlds/index";
import type { Demonstrator } from "limbeck-core/env/expert";
import type { Env } from "limbeck-core/env/env";
import { type World, type WorldOptions, demonstratorsOf } from "limbeck-core/env/world";
import { namedOptions } from "limbeck-core/env/named-world";
import type { worldInputs } from "limbeck-worlds/world.inputs";
import { withGivenExperts } from "limbeck-core/orchestrate/given-experts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { DEFAULTS } from "./defaults.ts";
import { findPolicy, openAgent, type AgentOptions, type NamedPolicy, type OpenedAgent } from "./agent.ts";
import { chooseTasks, splitOf, type Played } from "./parts.ts";
import type { speechInputs } from "./speech.inputs.ts";

export type WorldInput = Input<typeof worldInputs>;
export type SpeechInput = Input<typeof speechInputs>;

export interface GivenWorld {
  readonly id: string;
  readonly world: World;
  readonly options: WorldOptions;
  readonly env: Env;
  /** The experts that were given and their prices, as a run keeps them; empty without. */
  readonly ordered: string;
}

/** `command` is who needs it, for the error. */
export async function givenWorld(
  command: string,
  { env: id, envOptions, experts }: Pick<WorldInput, "env" | "envOptions"> & Partial<Pick<WorldInput, "experts">>,
  context: Context,
): Promise<GivenWorld> {
  if (id === undefined) throw usageError(`"limbeck ${command}" needs --env ID; limbeck envs lists them.`);
  const world = await getWorld(id);
  // Without it every episode would be lost.
  await context.need(world.part === undefined ? [] : [world.part]);
  const options = namedOptions(id, world, envOptions);
  const { env, name: ordered } = await withGivenExperts(context, experts, world, await world.create(options));
  return { id, world: { ...world, demonstrators: demonstratorsOf(world, env) }, options, env, ordered };
}

/** Tasks of the split from the offset on. */
export async function givenTasks(
  env: Env,
  what: Played,
  given: Pick<WorldInput, "split" | "offset"> & { readonly tasks: number | undefined; readonly signal: AbortSignal },
): Promise<readonly Task[]> {
  const split = given.split ?? splitOf(what, env.splits);
  return await chooseTasks({ env }, { ...given, split }, DEFAULTS.tasks[what]);
}

/** Which tasks a figure is of: the fields of the JSON lines that hold one. */
export interface FigurePlace {
  readonly env: string;
  readonly envOptions: WorldOptions;
  readonly split: string;
}

export function placeOf({ id, options }: Pick<GivenWorld, "id" | "options">, tasks: readonly Task[]): FigurePlace {
  return { env: id, envOptions: options, split: tasks[0]?.split ?? "" };
}

export interface AgentPlace {
  /** Who needs it, for the error. */
  readonly command: string;
  readonly world: Pick<World, "demonstrators">;
  /** Id of the world. */
  readonly env: string;
}

export async function givenAgent(
  policy: string | undefined,
  input: Partial<SpeechInput>,
  place: AgentPlace,
  context: Context,
): Promise<OpenedAgent> {
  return await openAgent(
    { ...agentOptions(input, context), policy: policyName(policy, place) },
    policyPlace(place, context),
  );
}

/** The same as text, for remote players. */
export async function namedPolicy(
  policy: string | undefined,
  input: SpeechInput,
  place: AgentPlace,
  context: Context,
): Promise<NamedPolicy> {
  return await findPolicy(policyName(policy, place), policyPlace(place, context), input);
}

function policyPlace({ env, world }: AgentPlace, { cwd }: Context): Parameters<typeof findPolicy>[1] {
  return { id: env, demonstrators: world.demonstrators ?? {}, cwd };
}

function policyName(given: string | undefined, { command, env, world }: AgentPlace): string {
  if (given !== undefined && given !== "") return given;
  const scripts = Object.keys(world.demonstrators ?? {});
  throw usageError(
    `"limbeck ${command}" needs --policy: a model folder, bundled, chat, or a scripted agent of ${env} (${scripts.join(", ") || "it has none"}).`,
  );
}

function agentOptions(
  { guide, guideBeta, guideDraws, ...speech }: Partial<SpeechInput>,
  context: Context,
): AgentOptions {
  const { cwd, environment, note } = context;
  return {
    ...speech,
    guide: guide === undefined ? undefined : { folder: resolve(cwd, guide), beta: guideBeta, draws: guideDraws },
    say: note,
    environment,
  };
}

/** The first scripted agent, which shows how a task is done. */
export function firstDemonstrator({ demonstrators = {} }: Pick<World, "demonstrators">): Demonstrator | undefined {
  return Object.values(demonstrators)[0];
}
