/** The tasks of a suite as they are opened: by world and settings, each task as the world itself lists it. */
import { EngineError } from "limbeck-base/base/errors";
import { canonicalJson, type Json, type JsonObject } from "limbeck-base/base/json";
import { getWorld } from "limbeck-worlds/index";
import type { Env } from "limbeck-core/env/env";
import type { Demonstrator } from "limbeck-core/env/expert";
import { randomChoice } from "limbeck-core/env/random-choice";
import { checkStoredOptions, type Allowed } from "limbeck-core/env/stored-options";
import { demonstratorsOf, type World } from "limbeck-core/env/world";
import { taskFamily } from "limbeck-core/eval/profile";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Place, SuiteItem } from "./item.ts";
import { PROMPT_WORLD, promptEnv, promptScripts, silent } from "./prompt-world.ts";
import { digestOf, MOST_TASKS, type Newness, type Suite, type SuiteTask } from "./suite.ts";

export interface OpenSuiteOptions {
  /** What "$data" stands for in options of worlds: the folder of a public set. */
  readonly data?: string | undefined;
  /** What the options of worlds may do. Default: neither start programs nor name addresses. */
  readonly allowed?: Allowed;
  /** Who can play beside the scripts of the worlds, by name. */
  readonly scripts?: Readonly<Record<string, Demonstrator>> | undefined;
  /** Loads what a world needs before it is made. Default: nothing. */
  readonly need?: (parts: readonly NonNullable<World["part"]>[]) => Promise<void>;
}

/** Opens the worlds and lists the tasks; one that is not there any more is an error. */
export async function openSuite(suite: Suite, options: OpenSuiteOptions = {}): Promise<readonly Place[]> {
  const groups = new Map<string, SuiteTask[]>();
  for (const task of suite.tasks) {
    const key = canonicalJson([task.world ?? null, task.options ?? {}, task.maxSteps ?? null]);
    groups.set(key, [...(groups.get(key) ?? []), task]);
  }
  const places: Place[] = [];
  for (const entries of groups.values()) places.push(await openPlace(suite, entries, options));
  const all = places.flatMap(({ items }) => items);
  if (all.length > MOST_TASKS)
    throw new EngineError("too-large", `${all.length} tasks; a suite has at most ${MOST_TASKS}.`);
  const found = frozenDigest(places);
  if (suite.frozen === undefined || suite.frozen === found) return places;
  throw new EngineError(
    "bad-input",
    `The suite ${suite.suite} is frozen as ${suite.frozen}, and its tasks are ${found} now: a world has changed, or its settings. Figures of both cannot be compared; give it another version and the new digest.`,
  );
}

/** The digest of the tasks themselves. */
export function frozenDigest(places: readonly Place[]): string {
  const tasks = places.flatMap(({ items }) => items.map(({ id, task }) => ({ id, task })));
  const sorted = tasks.sort((left, right) => (left.id < right.id ? -1 : 1));
  return digestOf(sorted as unknown as readonly JsonObject[]);
}

async function openPlace(suite: Suite, entries: readonly SuiteTask[], given: OpenSuiteOptions): Promise<Place> {
  const [first] = entries as readonly [SuiteTask];
  if (first.world === undefined) {
    const items = entries.map((from) => itemOf(suite, from, from.id, promptTask(suite, from)));
    const env = promptEnv(items);
    return {
      id: PROMPT_WORLD,
      env,
      demonstrators: { ...promptScripts(items), ...given.scripts },
      maxSteps: undefined,
      items,
    };
  }
  const world = await getWorld(first.world);
  const stored = (first.options ?? {}) as JsonObject;
  const { allowed = {}, data, need } = given;
  const source = `The suite ${suite.suite}`;
  checkStoredOptions({ id: first.world, world, options: stored, source, allowed, command: "limbeck suite" });
  if (world.part !== undefined) await need?.([world.part]);
  const env = await world.create(withData(stored, data) as JsonObject);
  const items: SuiteItem[] = [];
  for (const from of entries) items.push(...(await listed(suite, from, env)));
  return {
    id: first.world,
    env,
    demonstrators: { ...worldScripts(world, env, items), ...given.scripts },
    ...(world.part === undefined ? {} : { part: world.part }),
    maxSteps: first.maxSteps,
    items: distinct(items),
  };
}

async function listed(suite: Suite, from: SuiteTask, env: Env): Promise<SuiteItem[]> {
  const { split = Object.keys(env.splits)[0] ?? "train", at = 0, count = 1 } = from;
  const tasks: Task[] = [];
  for await (const task of env.tasks(split, { offset: at, count })) tasks.push(task);
  if (tasks.length < count) {
    throw new EngineError(
      "bad-input",
      `The suite ${suite.suite}, task ${from.id}: ${env.id} has ${tasks.length} of the ${count} tasks from ${at} on in the split "${split}".`,
    );
  }
  const idOf = (index: number): string => (from.count === undefined ? from.id : `${from.id}/${at + index}`);
  return tasks.map((task, index) => itemOf(suite, from, idOf(index), task));
}

function promptTask({ seed }: Suite, { id, prompt = "", tools }: SuiteTask): Task {
  const data = tools === undefined ? {} : { data: { tools } as JsonObject };
  return { id, env: PROMPT_WORLD, seed, goal: prompt, split: "suite", ...data };
}

function itemOf({ seen }: Suite, from: SuiteTask, id: string, task: Task): SuiteItem {
  const template = from.template ?? taskFamily(task);
  const world = from.world ?? PROMPT_WORLD;
  const byList = (): Newness => {
    if (!(seen?.worlds ?? []).includes(world)) return "world";
    if (template === undefined || !(seen?.templates ?? []).includes(template)) return "template";
    return [id, from.id, task.id].some((name) => seen?.instances.includes(name)) ? "none" : "instance";
  };
  return { id, task, from, template, unseen: from.unseen ?? (seen === undefined ? undefined : byList()) };
}

/** The world knows its tasks by its own ids, so that one cannot be played twice in it. */
function distinct(items: readonly SuiteItem[]): readonly SuiteItem[] {
  const seen = new Map<string, string>();
  for (const { id, task } of items) {
    const other = seen.get(task.id);
    if (other !== undefined)
      throw new EngineError("bad-input", `The tasks ${other} and ${id} of the suite are one: ${task.id}.`);
    seen.set(task.id, id);
  }
  return items;
}

/** The world's own, and the bounds: a perfect one by solutions or by the world's expert, and the floors. */
function worldScripts(world: World, env: Env, items: readonly SuiteItem[]): Readonly<Record<string, Demonstrator>> {
  const own = demonstratorsOf(world, env);
  const [expert] = Object.values(own);
  const solutions = new Map(items.map(({ task, from }) => [task.id, from.solution?.split("\n")]));
  const perfect: Demonstrator = {
    id: "perfect",
    summary: "Does what the suite says, or what the expert of the world does.",
    start: (task, rng) => {
      const lines = solutions.get(task.id);
      let done = 0;
      if (lines !== undefined) return { next: () => lines[done++] ?? "" };
      if (expert !== undefined) return expert.start(task, rng);
      throw new EngineError("needs-unmet", `The task ${task.id} has no solution, and ${env.id} has no expert.`);
    },
  };
  return { random: randomChoice, empty: silent, perfect, ...own };
}

function withData(value: Json, data: string | undefined): Json {
  if (typeof value === "string" && value.startsWith("$data")) {
    if (data !== undefined) return data + value.slice("$data".length);
    throw new EngineError(
      "usage",
      `An option of the suite is ${JSON.stringify(value)}; name the folder with --data DIR.`,
    );
  }
  if (Array.isArray(value)) return value.map((one: Json) => withData(one, data));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withData(one, data)]));
}
