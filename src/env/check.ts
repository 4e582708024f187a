/**
 * Checks that an environment keeps the contract of `env.ts`, for any test runner or none.
 *
 * Each check throws an EngineError "env-contract" that names the environment, the task, the actions so far and what
 * differed. Random play is driven by scripts: lists of whole numbers, each of which picks one action where it falls.
 */
import { EngineError } from "../base/index.ts";
import { scoreValue, type Task } from "../trajectory/index.ts";
import { expectSame, fail, label, shown } from "./check-report.ts";
import type { Env, Episode, StepResult } from "./env.ts";

export interface EnvCheckOptions {
  readonly env: Env;
  /** Tasks to try. Default: the first two of every split. */
  readonly tasks?: readonly Task[];
  /** Actions the world must refuse wherever they come. The default is nonsense that no world should accept. */
  readonly invalidActions?: readonly string[];
  /**
   * Default: "nothing": a refused action leaves state, list and success as they were. "turn": it uses up a turn, as
   * in worlds where every reply counts; then only `valid: false` is asked for.
   */
  readonly invalidChanges?: "nothing" | "turn";
  /** The reward of a refused action. Default: 0. */
  readonly invalidReward?: number;
  /** Actions worth trying where the world lists none (`admissible` is undefined). */
  readonly candidates?: (episode: Episode) => readonly string[];
  /** Random action sequences per check. Default: 25. */
  readonly runs?: number;
  /** Length of a random action sequence. Default: 15. */
  readonly maxActions?: number;
  /** Seed of the random sequences, so that a failure repeats. */
  readonly seed?: number;
}

/** What a watcher of one moment of an episode can tell. */
interface Snapshot {
  readonly observation: string;
  readonly stateKey: string;
  readonly admissible: readonly string[] | undefined;
  readonly reward: Episode["reward"];
  readonly ending: Episode["ending"];
  readonly success: Episode["success"];
}

const NONSENSE: readonly string[] = [
  "",
  "xyzzy frobnicate 17",
  "\u0000\u001b[2J\u0007",
  "执行 不存在 的 动作",
  "__proto__",
];

/** Texts that break careless parsers: very long, control characters, other scripts, lone surrogates, markup. */
export const HOSTILE_ACTIONS: readonly string[] = [
  ...NONSENSE,
  "a".repeat(100_000),
  "<action>".repeat(12_500),
  "(".repeat(100_000),
  "[".repeat(50_000) + "]".repeat(50_000),
  "\n\r\t\u2028\u2029\uFEFF",
  "\u202Eمرحبا\u202C 🙂🙂",
  "\uD800 lone",
  "constructor",
  '{"name": "toString", "arguments": {"__proto__": 1}}',
];

/** Picks the action that a script's number stands for: one in five is nonsense, the rest are listed ones. */
export function scriptedAction(episode: Episode, choice: number, options: EnvCheckOptions): string {
  const refused = options.invalidActions ?? NONSENSE;
  const open = episode.admissible() ?? options.candidates?.(episode) ?? [];
  const list = choice % 5 === 0 || open.length === 0 ? refused : open;
  return list[Math.floor(choice / 5) % list.length] ?? "";
}

/** Same task, same script: the same texts, keys, lists and rewards, every time. */
export async function checkDeterminism(options: EnvCheckOptions, task: Task, script: readonly number[]): Promise<void> {
  const first = await play(options, await options.env.open(task), script);
  const second = await play(options, await options.env.open(task), script);
  expectSame(options, task, first.actions, "A second episode of the same task", second.trace, first.trace);
}

/** A fork and its original, stepped in turns, each do exactly what they would have done alone. */
export async function checkFork(
  options: EnvCheckOptions,
  task: Task,
  scripts: {
    readonly before: readonly number[];
    readonly original: readonly number[];
    readonly fork: readonly number[];
  },
): Promise<void> {
  const { env } = options;
  const alone = await play(options, await env.open(task), [...scripts.before, ...scripts.original]);
  const other = await play(options, await env.open(task), [...scripts.before, ...scripts.fork]);
  const original = await env.open(task);
  const shared = await play(options, original, scripts.before, false);
  const fork = await original.fork();
  expectSame(options, task, shared.actions, "A fresh fork", [snapshot(fork)], [snapshot(original)]);
  const traces: [Snapshot[], Snapshot[]] = [[], []];
  for (let index = 0; index < Math.max(scripts.original.length, scripts.fork.length); index += 1) {
    await advance(options, original, scripts.original[index], traces[0]);
    await advance(options, fork, scripts.fork[index], traces[1]);
  }
  const kept = shared.trace.length;
  expectSame(options, task, alone.actions, "The original of a fork", traces[0], alone.trace.slice(kept));
  await original.close();
  expectSame(options, task, other.actions, "A fork", traces[1], other.trace.slice(kept));
  expectSame(options, task, other.actions, "A fork after its original closed", [snapshot(fork)], other.trace.slice(-1));
  await fork.close();
}

/** Every listed action is accepted, in every state along the script; at most `cap` of them in each. */
export async function checkAdmissible(
  options: EnvCheckOptions,
  task: Task,
  script: readonly number[],
  cap = 40,
): Promise<void> {
  const episode = await options.env.open(task);
  const actions: string[] = [];
  for (const choice of [...script, undefined]) {
    const list = episode.admissible();
    if (list === undefined || episode.ending !== undefined) break;
    if (new Set(list).size !== list.length) fail(options, task, actions, "The admissible list names an action twice.");
    const stride = Math.max(1, Math.ceil(list.length / cap));
    for (let index = (choice ?? 0) % stride; index < list.length; index += stride) {
      const action = list[index] as string;
      const fork = await episode.fork();
      const result = await fork.step(action);
      if (!result.valid) fail(options, task, actions, `The admissible action ${shown(action)} was refused.`);
      await fork.close();
    }
    if (choice === undefined) break;
    const action = scriptedAction(episode, choice, options);
    actions.push(action);
    await episode.step(action);
  }
  await episode.close();
}

/** A refused action says so and leaves the world as it was. */
export async function checkInvalid(options: EnvCheckOptions, task: Task, script: readonly number[]): Promise<void> {
  const episode = await options.env.open(task);
  const { actions } = await play(options, episode, script, false);
  for (const action of options.invalidActions ?? NONSENSE) {
    if (episode.ending !== undefined) break;
    const before = snapshot(episode);
    const result = await episode.step(action);
    const what = `The refused action ${shown(action)}`;
    if (result.valid) fail(options, task, actions, `${what} was reported as valid.`);
    if (options.invalidChanges === "turn") continue;
    if (result.ending === "truncated") break;
    const value = scoreValue(result.reward);
    const wanted = options.invalidReward ?? 0;
    if (value !== wanted) fail(options, task, actions, `${what} gave the reward ${value}, not ${wanted}.`);
    const after = { ...snapshot(episode), observation: before.observation, reward: before.reward };
    expectSame(options, task, actions, `The world after ${shown(action)}`, [after], [before]);
  }
  await episode.close();
}

/** Asking what cannot be taken back changes nothing, a fork answers alike, nonsense is harmless, and so is the end. */
export async function checkIrreversible(
  options: EnvCheckOptions,
  task: Task,
  script: readonly number[],
): Promise<void> {
  const episode = await options.env.open(task);
  const { actions } = await play(options, episode, script, false);
  const { irreversible } = episode;
  if (irreversible !== undefined) {
    const before = snapshot(episode);
    const fork = await episode.fork();
    const listed = episode.admissible() ?? options.candidates?.(episode) ?? [];
    for (const action of [...listed, ...NONSENSE, ...HOSTILE_ACTIONS]) {
      const said = await irreversible(action);
      const what = `Whether ${shown(action)} can be taken back`;
      if (said !== (await fork.irreversible?.(action)))
        fail(options, task, actions, `${what}: a fork says the opposite.`);
      const harmless = episode.ending !== undefined || NONSENSE.includes(action);
      if (said && harmless) fail(options, task, actions, `${what}: it says no of what does nothing here.`);
    }
    expectSame(options, task, actions, "The world after being asked", [snapshot(episode)], [before]);
    await fork.close();
  }
  await episode.close();
}

/** Hostile text never makes a step reject. */
export async function checkHostile(options: EnvCheckOptions, task: Task): Promise<void> {
  const base = await options.env.open(task);
  for (const action of HOSTILE_ACTIONS) {
    const episode = await base.fork();
    const result = await episode.step(action).catch((error: unknown) => {
      throw new EngineError("env-contract", `${label(options, task)} rejected on the action ${shown(action)}.`, {
        cause: error,
      });
    });
    consistent(options, task, [action], episode, result);
    await episode.close();
  }
  await base.close();
}

/** Episodes end within `maxSteps`, rewards add up, a step after the end is an error and the end stays readable. */
export async function checkEnding(options: EnvCheckOptions, task: Task, script: readonly number[]): Promise<void> {
  const episode = await options.env.open(task);
  if (episode.ending !== undefined) fail(options, task, [], "The episode has ended before its first step.");
  const actions: string[] = [];
  let total = 0;
  const limit = Math.min(options.env.maxSteps, 1_000);
  while (episode.ending === undefined && actions.length < limit) {
    const choice = script.length === 0 ? 1 : (script[actions.length % script.length] as number) + actions.length;
    const action = scriptedAction(episode, choice, options);
    actions.push(action);
    const result = await episode.step(action);
    total += scoreValue(result.reward) ?? Number.NaN;
    consistent(options, task, actions, episode, result);
    const sum = scoreValue(episode.reward) ?? Number.NaN;
    const adds = Number.isNaN(total) ? Number.isNaN(sum) : Math.abs(sum - total) < 1e-9;
    if (!adds) fail(options, task, actions, `The episode's reward is ${sum}, the steps' rewards add up to ${total}.`);
  }
  if (episode.ending === undefined && limit === options.env.maxSteps) {
    fail(options, task, actions, `The episode goes on after ${limit} steps, its maxSteps.`);
  }
  if (episode.ending !== undefined) {
    await expectRejection(options, task, actions, episode, "episode-ended");
    expectSame(options, task, actions, "A fork of the end", [snapshot(await episode.fork())], [snapshot(episode)]);
  }
  await episode.close();
}

/** Closing is idempotent, and a closed episode refuses to step. */
export async function checkClose(options: EnvCheckOptions, task: Task): Promise<void> {
  const episode = await options.env.open(task);
  await episode.close();
  await episode.close();
  await expectRejection(options, task, [], episode, "episode-closed");
}

async function expectRejection(
  options: EnvCheckOptions,
  task: Task,
  actions: readonly string[],
  episode: Episode,
  code: string,
): Promise<void> {
  const error: unknown = await episode.step("look").then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof EngineError && error.code === code) return;
  fail(options, task, actions, `A step was not refused with the code "${code}" but gave ${String(error)}.`);
}

function consistent(
  options: EnvCheckOptions,
  task: Task,
  actions: readonly string[],
  episode: Episode,
  result: StepResult,
): void {
  const { observation, ending, success } = episode;
  const { observation: seen, ending: end, success: won } = result;
  expectSame(options, task, actions, "A step's result", [seen, end, won], [observation, ending, success]);
}

async function play(
  options: EnvCheckOptions,
  episode: Episode,
  script: readonly number[],
  close = true,
): Promise<{ readonly trace: Snapshot[]; readonly actions: string[] }> {
  const trace = [snapshot(episode)];
  const actions: string[] = [];
  for (const choice of script) {
    const action = await advance(options, episode, choice, trace);
    if (action !== undefined) actions.push(action);
  }
  if (close) await episode.close();
  return { trace, actions };
}

async function advance(
  options: EnvCheckOptions,
  episode: Episode,
  choice: number | undefined,
  trace: Snapshot[],
): Promise<string | undefined> {
  if (choice === undefined || episode.ending !== undefined) return undefined;
  const action = scriptedAction(episode, choice, options);
  await episode.step(action);
  trace.push(snapshot(episode));
  return action;
}

function snapshot(episode: Episode): Snapshot {
  const { observation, stateKey, reward, ending, success } = episode;
  return { observation, stateKey, admissible: episode.admissible()?.slice(), reward, ending, success };
}
