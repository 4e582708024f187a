/** What every way to run an agent asks for: a world, its tasks, and who acts. All defaults live here. */
import { checkOptions, may, type NumberChecks } from "limbeck-base/base/options";
import { EngineError } from "limbeck-base/base/errors";
import { unknownSplit } from "limbeck-core/env/episode-error";
import { heldOut, validationSplit, openWorld, type OpenedWorld, type WorldPart } from "limbeck-training/training/parts";
import { requireSplit } from "limbeck-training/training/played-splits";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { tasksOf } from "limbeck-core/update/collect";
import { DEFAULTS } from "./defaults.ts";
import { AGENT_CHECKS } from "./agent-checks.ts";
import { openAgent, type AgentOptions, type OpenedAgent } from "./agent.ts";

export interface PartOptions extends WorldPart, AgentOptions {
  /** How many tasks, or the tasks themselves. */
  readonly tasks?: number | readonly Task[] | undefined;
  /** Default: of an evaluation "test", of a search "valid", of a rollout the first that the world names. */
  readonly split?: string | undefined;
  /** Tasks of the split to pass over first. Default: 0. */
  readonly offset?: number | undefined;
  /** Everything that is drawn depends on it. Default: 0. */
  readonly seed?: number | string | undefined;
  /** Steps of an episode. Default: the world's own limit. */
  readonly maxSteps?: number | undefined;
  readonly signal?: AbortSignal;
}

export const PART_CHECKS = {
  ...AGENT_CHECKS,
  tasks: { ...may.count, or: "object" },
  offset: may.whole,
  seed: may.seed,
  maxSteps: may.count,
} as const;

export interface Parts {
  readonly world: OpenedWorld;
  readonly tasks: readonly Task[];
  readonly opened: OpenedAgent;
  readonly seed: number | string;
}

/** What is played, and with it the default number of tasks and their split. */
export type Played = keyof typeof DEFAULTS.tasks;

/**
 * The split where none is named: figures are of tasks that were never trained on, and nothing is chosen on test tasks. Only
 * a world without any others is measured on its training tasks.
 */
export function splitOf(what: Played, splits: Readonly<Record<string, number>>): string {
  if (what === "evaluate") return heldOut(splits, "test");
  if (what === "search") return validationSplit(splits);
  return Object.keys(splits)[0] ?? "train";
}

/** Tasks of a command line are asked for in the same way. */
export async function chooseTasks(
  { env }: Pick<OpenedWorld, "env">,
  {
    tasks,
    split = Object.keys(env.splits)[0] ?? "train",
    offset = 0,
    signal,
  }: Pick<PartOptions, "tasks" | "split" | "offset" | "signal">,
  count: number,
): Promise<readonly Task[]> {
  if (typeof tasks === "object") return tasks;
  const found = await tasksOf(env, split, offset, tasks ?? count, signal);
  if (found.length > 0) return found;
  if (!Object.hasOwn(env.splits, split)) throw unknownSplit(env.id, split, Object.keys(env.splits));
  requireSplit(env, split, "This", "Take another one (split), or let the world's tasks() list some.");
  throw new EngineError(
    "no-tasks",
    `Split "${split}" of ${env.id} has no tasks from ${offset} on; it names ${env.splits[split]}.`,
  );
}

/** Opens the parts, lets the work use them and closes what it opened. */
export async function withParts<Result>(
  { what, checks, options }: { readonly what: Played; readonly checks: NumberChecks; readonly options: PartOptions },
  work: (parts: Parts) => Promise<Result>,
): Promise<Result> {
  checkOptions(what, options, checks);
  const world = await openWorld(options);
  const split = options.split ?? splitOf(what, world.env.splits);
  const tasks = await chooseTasks(world, { ...options, split }, DEFAULTS.tasks[what]);
  const opened = await openAgent(options, world);
  try {
    return await work({ world, tasks, opened, seed: options.seed ?? DEFAULTS.seed });
  } finally {
    await opened.close();
  }
}
