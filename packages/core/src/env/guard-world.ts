/**
 * A world from a user's file, held to the contract: what it throws is named with its line, what never ends meets a
 * time-out, and an answer of the wrong shape is an error before anything is made of it.
 */
import { awaitPart, badAnswer, callPart } from "limbeck-base/base/parts/contain";
import { kindOfValue, type PartHome } from "limbeck-base/base/parts/part";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Env, Episode } from "./env.ts";
import type { Demonstrator } from "./expert.ts";
import { envFault, episodeFault, isIterable, resultFault, taskFault } from "./world-faults.ts";
import { wrapEpisode } from "./wrap.ts";

/** What of a world calls the user's code. */
interface Called<Options> {
  create(options?: Options): Promise<Env>;
  readonly demonstrators?: Readonly<Record<string, Demonstrator>>;
}

/** Characters of one observation. No model reads more. */
const LONGEST_OBSERVATION = 1_000_000;

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
  const fault = episodeFault(episode) ?? tooLong(episode);
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
      const wrong = resultFault(result) ?? tooLong(result) ?? episodeFault(episode);
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

function tooLong({ observation: { length } }: Pick<Episode, "observation">): string | undefined {
  if (length <= LONGEST_OBSERVATION) return undefined;
  return `the observation has ${length} characters, more than ${LONGEST_OBSERVATION}`;
}
