/**
 * The contract suite of environments: registers one test per promise with any runner that has `describe` and `test`.
 *
 *   import { describe, test } from "vitest";
 *   import { envContract } from "limbeck/testing";
 *   envContract({ name: "my world", env: createMyWorld(), runner: { describe, test } });
 *
 * Random action sequences come from fast-check, which must be installed beside the runner; it shrinks a failing
 * sequence to the shortest one that still fails. Without a runner, `checkEnv` does the same in one call.
 */
import type * as fastCheckModule from "fast-check";
import { EngineError } from "limbeck-base/base/errors";
import type { Runner } from "limbeck-base/base/test-runner";
import { optionalPart } from "limbeck-base/base/optional-part";
import type { Task } from "limbeck-base/trajectory/trajectory";
import {
  checkAdmissible,
  checkApart,
  checkClose,
  checkDemonstrators,
  checkDeterminism,
  checkEnding,
  checkFork,
  checkHostile,
  checkInvalid,
  checkIrreversible,
} from "./check.ts";
import { demonstratedIn, demonstratorsOf, type EnvCheckOptions } from "./check-play.ts";
import type { Env } from "./env.ts";

export interface EnvContractOptions extends Omit<EnvCheckOptions, "env"> {
  readonly name: string;
  /** The environment, or how to make it; made once, when the first test runs. */
  readonly env: Env | (() => Promise<Env>);
  readonly runner: Runner;
}

interface Promised {
  readonly title: string;
  readonly run: (options: EnvCheckOptions, task: Task) => Promise<void>;
}

const PROMISES: readonly Promised[] = [
  {
    title: "the same task and actions give the same texts, keys, lists and rewards",
    run: alongScripts(checkDeterminism),
  },
  { title: "a fork and its original never influence each other", run: alongPairs(checkFork) },
  { title: "episodes that are open at once never influence each other", run: alongPairs(checkApart) },
  { title: "every admissible action is accepted", run: alongScripts(checkAdmissible) },
  { title: "an action that is not admissible changes nothing", run: alongScripts(checkInvalid) },
  {
    title: "episodes end in time, success is decided once, rewards add up, and a step after the end is an error",
    run: alongScripts(checkEnding),
  },
  { title: "asking what cannot be taken back changes nothing", run: alongScripts(checkIrreversible) },
  { title: "close is idempotent and final", run: checkClose },
  { title: "hostile text does no harm", run: checkHostile },
  { title: "demonstrators act on what they have seen", run: checkDemonstrators },
];

/**
 * Registers the suite.
 *
 * @example
 * const tests: (() => Promise<void>)[] = [];
 * const runner = { describe: (_: string, body: () => void) => body(), test: (_: string, body: () => Promise<void>) => tests.push(body) };
 * envContract({ name: "household", env: () => openEnv("household"), runs: 2, runner });
 * for (const one of tests) await one();
 * console.log(tests.length); // 12
 */
export function envContract(options: EnvContractOptions): void {
  const { name, env: source, runner, ...rest } = options;
  let made: Promise<EnvCheckOptions> | undefined;
  const prepare = (): Promise<EnvCheckOptions> => {
    made ??= Promise.resolve(typeof source === "function" ? source() : source).then((env) => ({ ...rest, env }));
    return made;
  };
  runner.describe(`${name} keeps the environment contract`, () => {
    runner.test("tasks are listed in a fixed order and belong to the environment", async () => {
      await checkTasks(await prepare());
    });
    runner.test("something is accepted, and the first demonstrator wins a task", async () => {
      await checkKnown(await prepare());
    });
    for (const { title, run } of PROMISES) {
      runner.test(title, async () => {
        const prepared = await prepare();
        for (const task of await tasksOf(prepared)) await run(prepared, task);
      });
    }
  });
}

/**
 * Runs every check without a test runner; throws on the first promise that is broken, else says what was checked.
 *
 * @example
 * const { checked } = await checkEnv(await openEnv("household", { dial: "tiny" }), { runs: 2 });
 * console.log(checked.includes("close is idempotent and final")); // true
 */
export async function checkEnv(env: Env, options: Omit<EnvCheckOptions, "env"> = {}): Promise<{ checked: string[] }> {
  const prepared = { ...options, env };
  await checkTasks(prepared);
  await checkKnown(prepared);
  for (const task of await tasksOf(prepared)) {
    for (const { run } of PROMISES) await run(prepared, task);
  }
  return { checked: PROMISES.map((promise) => promise.title) };
}

type ScriptCheck = (options: EnvCheckOptions, task: Task, script: readonly number[]) => Promise<void>;

function alongScripts(check: ScriptCheck): Promised["run"] {
  return async (options, task) => {
    const fc = await optionalPart("suites", () => import("fast-check"));
    const property = fc.asyncProperty(script(fc, options), (choices) => check(options, task, choices));
    report(await fc.check<unknown>(property, settings(options)));
  };
}

function alongPairs(check: typeof checkFork): Promised["run"] {
  return async (options, task) => {
    const fc = await optionalPart("suites", () => import("fast-check"));
    const any = script(fc, options);
    const property = fc.asyncProperty(any, any, any, (before, original, fork) =>
      check(options, task, { before, original, fork }),
    );
    report(await fc.check<unknown>(property, settings(options)));
  };
}

type FastCheck = typeof fastCheckModule;

function script(fc: FastCheck, options: EnvCheckOptions) {
  return fc.array(fc.nat({ max: 1_000_000 }), { maxLength: options.maxActions ?? 15 });
}

/** The check's own words first, then how to see the same failure again. */
function report(details: fastCheckModule.RunDetails<unknown>): void {
  if (!details.failed) return;
  const { errorInstance: cause, seed, counterexamplePath, counterexample } = details;
  const message = cause instanceof Error ? cause.message : "A random sequence was never finished.";
  throw new EngineError("env-contract", `${message} Script: ${JSON.stringify(counterexample)}, seed ${seed}.`, {
    cause,
    details: { seed, path: counterexamplePath, counterexample },
  });
}

function settings(options: EnvCheckOptions) {
  return { numRuns: options.runs ?? 25, ...(options.seed === undefined ? {} : { seed: options.seed }) };
}

async function tasksOf(options: EnvCheckOptions): Promise<readonly Task[]> {
  if (options.tasks !== undefined) return options.tasks;
  const tasks: Task[] = [];
  for (const split of Object.keys(options.env.splits)) tasks.push(...(await listTasks(options.env, split, 0, 2)));
  if (tasks.length === 0) {
    throw new EngineError("env-contract", `Environment "${options.env.id}" offers no tasks; give some in \`tasks\`.`);
  }
  return tasks;
}

async function listTasks(env: Env, split: string, offset: number, count: number): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const task of env.tasks(split, { offset, count })) tasks.push(task);
  return tasks;
}

/** Where nothing that the world accepts is known, every other promise would be tried with refusals alone. */
async function checkKnown(options: EnvCheckOptions): Promise<void> {
  const { env } = options;
  const tasks = await tasksOf(options);
  const broken = (what: string): EngineError =>
    new EngineError("env-contract", `Environment "${env.id}" cannot be checked. ${what}`);
  let accepted = 0;
  for (const task of tasks) {
    const episode = await env.open(task);
    const [first] = (await demonstratedIn(options, task)).flatMap(({ actions }) => actions.slice(0, 1));
    const listed = episode.admissible() ?? options.candidates?.(episode) ?? [];
    for (const action of [...listed.slice(0, 20), ...(first === undefined ? [] : [first])]) {
      const fork = await episode.fork();
      if ((await fork.step(action)).valid) accepted += 1;
      await fork.close();
    }
    await episode.close();
  }
  if (accepted === 0)
    throw broken(
      "No action that it accepts is known: it lists none, and nobody shows one. Give defineWorld a demonstrator (demonstrators: { expert }), or the check `candidates`.",
    );
  const [expert] = demonstratorsOf(options);
  const ends = (await Promise.all(tasks.map((task) => demonstratedIn(options, task)))).map(([one]) => one?.success);
  if (expert !== undefined && ends.includes(false) && !ends.includes(true))
    throw broken(`Its first demonstrator, "${expert.id}", wins none of the ${tasks.length} tasks that were tried.`);
}

async function checkTasks({ env }: EnvCheckOptions): Promise<void> {
  const broken = (what: string): EngineError =>
    new EngineError("env-contract", `Environment "${env.id}" breaks the contract. ${what}`);
  for (const [split, size] of Object.entries(env.splits)) {
    const tasks = await listTasks(env, split, 0, 5);
    const expected = Math.min(5, size);
    if (tasks.length !== expected)
      throw broken(`Split "${split}" of ${size} tasks gave ${tasks.length}, not ${expected}.`);
    const again = await listTasks(env, split, 0, 5);
    const moved = await listTasks(env, split, 1, 4);
    const text = JSON.stringify(tasks);
    if (JSON.stringify(again) !== text) throw broken(`Split "${split}" lists other tasks the second time.`);
    const skipped = JSON.stringify([...tasks.slice(0, 1), ...moved]) === text;
    if (!skipped) throw broken(`Split "${split}" with offset 1 does not go on where it should.`);
    if (new Set(tasks.map((task) => task.id)).size !== tasks.length) throw broken(`Split "${split}" repeats an id.`);
    const strange = tasks.find((task) => task.env !== env.id || task.split !== split);
    if (strange !== undefined)
      throw broken(`Task "${strange.id}" names env "${strange.env}", split "${strange.split}".`);
  }
}
