/**
 * A world from a user's file, held to the contract: what it throws is named with its line, what never ends meets a
 * time-out, and an answer of the wrong shape is an error before anything is made of it.
 */
import { awaitPart, badAnswer, callPart } from "../base/parts/contain.ts";
import { kindOfValue, type PartHome } from "../base/parts/part.ts";
import type { Task } from "../trajectory/index.ts";
import type { Env, Episode, StepResult } from "./env.ts";
import type { Demonstrator } from "./expert.ts";
import { wrapEpisode } from "./wrap.ts";

/** What of a world calls the user's code. */
interface Called<Options> {
  create(options?: Options): Promise<Env>;
  readonly demonstrators?: Readonly<Record<string, Demonstrator>>;
}

/** Characters of one observation. No model reads more. */
const LONGEST_OBSERVATION = 1_000_000;

const ENDINGS: readonly unknown[] = [undefined, "terminated", "truncated", "failed"];

export function guardWorld<Options, World extends Called<Options>>(world: World, home: PartHome): World {
  const { demonstrators } = world;
  return {
    ...world,
    create: async (options?: Options) => guardEnv(await awaitPart(home, "create", () => world.create(options)), home),
    ...(demonstrators === undefined ? {} : { demonstrators: guardScripts(demonstrators, home) }),
  };
}

function guardScripts(
  scripts: Readonly<Record<string, Demonstrator>>,
  home: PartHome,
): Readonly<Record<string, Demonstrator>> {
  return Object.fromEntries(Object.entries(scripts).map(([id, one]) => [id, guardScript(one, home)]));
}

/** A scripted agent, held to the same. */
export function guardScript(script: Demonstrator, home: PartHome): Demonstrator {
  return {
    ...script,
    start: (task, rng) => {
      const at = callPart(home, "start", () => script.start(task, rng));
      if (typeof at?.next !== "function") throw badAnswer(home, "start", `it has no function "next"`);
      return {
        next: (seen) => {
          const action: unknown = callPart(home, "next", () => at.next(seen));
          if (typeof action === "string") return action;
          throw badAnswer(home, "next", `the action is ${kindOfValue(action)}, not a text`);
        },
      };
    },
    ...(script.advise === undefined
      ? {}
      : { advise: (task, past, rng) => awaitPart(home, "advise", () => script.advise?.(task, past, rng)) }),
  };
}

function guardEnv(env: Env, home: PartHome): Env {
  const fault = envFault(env);
  if (fault !== undefined) throw badAnswer(home, "create", fault);
  return {
    id: env.id,
    summary: env.summary,
    maxSteps: env.maxSteps,
    splits: env.splits,
    ...(env.demonstrators === undefined ? {} : { demonstrators: guardScripts(env.demonstrators, home) }),
    ...(env.procedure === undefined
      ? {}
      : { procedure: (task) => callPart(home, "procedure", () => env.procedure?.(task) ?? []) }),
    tasks: (split, options) => listed(env, home, split, options),
    open: async (task, options) =>
      guardEpisode(await awaitPart(home, "open", () => env.open(task, options)), {
        home,
        from: "open",
        steps: 0,
        most: env.maxSteps,
      }),
  };
}

function envFault(env: unknown): string | undefined {
  if (typeof env !== "object" || env === null) return `it gave ${kindOfValue(env)}, not an environment`;
  const { id, summary, maxSteps, splits, tasks, open } = env as Record<keyof Env, unknown>;
  if (typeof id !== "string" || id === "") return `"id" is ${kindOfValue(id)}, not a name`;
  if (typeof summary !== "string") return `"summary" is ${kindOfValue(summary)}, not a text`;
  if (!(typeof maxSteps === "number" && maxSteps >= 1)) {
    return `"maxSteps" is ${typeof maxSteps === "number" ? maxSteps : kindOfValue(maxSteps)}, not a number of at least 1`;
  }
  if (typeof splits !== "object" || splits === null) return `"splits" is ${kindOfValue(splits)}, not a table of sizes`;
  const strange = Object.entries(splits).find(([, size]) => !(typeof size === "number" && size >= 0));
  if (strange !== undefined) return `the split "${strange[0]}" is ${kindOfValue(strange[1])}, not a number of tasks`;
  if (typeof tasks !== "function") return `"tasks" is ${kindOfValue(tasks)}, not a function`;
  return typeof open === "function" ? undefined : `"open" is ${kindOfValue(open)}, not a function`;
}

/** One task after the other, so that a list without end is only asked for what is wanted. */
async function* listed(
  env: Env,
  home: PartHome,
  split: string,
  options: Parameters<Env["tasks"]>[1],
): AsyncGenerator<Task> {
  const given: unknown = callPart(home, "tasks", () => env.tasks(split, options));
  if (!isIterable(given)) throw badAnswer(home, "tasks", `it gave ${kindOfValue(given)}, not a list of tasks`);
  const iterator = Symbol.asyncIterator in given ? given[Symbol.asyncIterator]() : given[Symbol.iterator]();
  const most = options?.count ?? Number.POSITIVE_INFINITY;
  for (let count = 0; ; count += 1) {
    const { done, value } = await awaitPart(home, "tasks", () => iterator.next());
    if (done === true) return;
    if (count >= most) throw badAnswer(home, "tasks", `it gave more than the ${most} that were asked for ("count")`);
    const fault = taskFault(value, env);
    if (fault !== undefined) throw badAnswer(home, "tasks", fault);
    yield value as Task;
  }
}

type AnyIterable = Iterable<unknown> | AsyncIterable<unknown>;

function isIterable(value: unknown): value is AnyIterable {
  return typeof value === "object" && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

function taskFault(task: unknown, { id: env }: Env): string | undefined {
  if (typeof task !== "object" || task === null) return `a task is ${kindOfValue(task)}, not an object`;
  const fields = task as Readonly<Record<string, unknown>>;
  const wrong = ["id", "env", "goal", "split"].find((name) => typeof fields[name] !== "string");
  if (wrong !== undefined) return `"${wrong}" of a task is ${kindOfValue(fields[wrong])}, not a text`;
  if (fields["env"] !== env)
    return `the task "${String(fields["id"])}" names the env "${String(fields["env"])}", not "${env}"`;
  const { seed } = fields;
  if (typeof seed === "number" && Number.isFinite(seed)) return undefined;
  return `"seed" of the task "${String(fields["id"])}" is ${kindOfValue(seed)}, not a number`;
}

interface Origin {
  readonly home: PartHome;
  /** The call that gave it. */
  readonly from: string;
  /** Steps before it was copied. */
  readonly steps: number;
  /** Steps after which the world says that it is over. */
  readonly most: number;
}

function guardEpisode(episode: Episode, { home, from, steps, most }: Origin): Episode {
  let count = steps;
  const fault = episodeFault(episode);
  if (fault !== undefined) throw badAnswer(home, from, fault);
  const { irreversible } = episode;
  return wrapEpisode(episode, {
    admissible: () => {
      const list: unknown = callPart(home, "admissible", () => episode.admissible());
      if (list === undefined) return undefined;
      if (!Array.isArray(list)) throw badAnswer(home, "admissible", `it is ${kindOfValue(list)}, not a list`);
      const strange: unknown = list.find((action) => typeof action !== "string");
      if (strange === undefined) return list as string[];
      throw badAnswer(home, "admissible", `an action is ${kindOfValue(strange)}, not a text`);
    },
    step: async (action, options) => {
      if (episode.ending === undefined && count >= most) {
        throw badAnswer(home, "step", `the episode goes on after ${most} steps, its maxSteps; end it as "truncated"`);
      }
      const result = await awaitPart(home, "step", () => episode.step(action, options));
      const wrong = resultFault(result) ?? episodeFault(episode);
      if (wrong !== undefined) throw badAnswer(home, "step", wrong);
      count += 1;
      return result;
    },
    fork: async () => {
      const copy = await awaitPart(home, "fork", () => episode.fork());
      if (copy === episode) throw badAnswer(home, "fork", "it gave the episode itself, not a copy");
      return guardEpisode(copy, { home, from: "fork", steps: count, most });
    },
    close: async () => await awaitPart(home, "close", () => episode.close()),
    ...(irreversible === undefined
      ? {}
      : {
          irreversible: async (action) =>
            (await awaitPart(home, "irreversible", () => episode.irreversible?.(action))) === true,
        }),
  });
}

function episodeFault(episode: unknown): string | undefined {
  if (typeof episode !== "object" || episode === null) return `it gave ${kindOfValue(episode)}, not an episode`;
  const fields = episode as Readonly<Record<string, unknown>>;
  const missing = ["admissible", "step", "fork", "close"].find((name) => typeof fields[name] !== "function");
  if (missing !== undefined) return `"${missing}" is ${kindOfValue(fields[missing])}, not a function`;
  const { task, stateKey } = fields;
  if (typeof task !== "object" || task === null) return `"task" is ${kindOfValue(task)}, not the task`;
  if (typeof stateKey !== "string") return `"stateKey" is ${kindOfValue(stateKey)}, not a text`;
  return shownFault(fields);
}

function resultFault(result: StepResult): string | undefined {
  if (typeof result !== "object" || result === null) return `the result is ${kindOfValue(result)}, not an object`;
  const { valid } = result as Readonly<Record<keyof StepResult, unknown>>;
  if (typeof valid !== "boolean") return `"valid" is ${kindOfValue(valid)}, not true or false`;
  return shownFault(result as unknown as Readonly<Record<string, unknown>>);
}

/** What a step's result and the episode itself both say. */
function shownFault({ observation, reward, ending, success }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof observation !== "string") return `the observation is ${kindOfValue(observation)}, not a text`;
  if (observation.length > LONGEST_OBSERVATION) {
    return `the observation has ${observation.length} characters, more than ${LONGEST_OBSERVATION}`;
  }
  if (!isScore(reward)) {
    const found = isScored(reward) ? `scored(${String(reward.value)})` : kindOfValue(reward);
    return `the reward is ${found}, neither scored(a finite number) nor unscored(a reason)`;
  }
  if (!ENDINGS.includes(ending)) return `the ending is ${JSON.stringify(ending)}, which is none`;
  if (success === null || typeof success === "boolean") return undefined;
  return `success is ${kindOfValue(success)}, not true, false or null`;
}

function isScored(reward: unknown): reward is { readonly value: unknown } {
  return typeof reward === "object" && reward !== null && "kind" in reward && reward.kind === "scored";
}

function isScore(reward: unknown): boolean {
  if (isScored(reward)) return Number.isFinite(reward.value);
  return typeof reward === "object" && reward !== null && "kind" in reward && reward.kind === "unscored";
}
