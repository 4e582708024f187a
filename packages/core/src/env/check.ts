/**
 * Checks that an environment keeps the contract of `env.ts`, for any test runner or none.
 *
 * Each check throws an EngineError "env-contract" that names the environment, the task, the actions so far and what
 * differed. Random play is driven by scripts: lists of whole numbers, each of which picks one action where it falls.
 */
import { EngineError } from "limbeck-base/base/errors";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import {
  advance,
  demonstratedIn,
  handOf,
  HOSTILE_ACTIONS,
  nextOf,
  NONSENSE,
  play,
  snapshot,
  expectSame,
  fail,
  label,
  showAction,
  type EnvCheckOptions,
  type Hand,
  type Snapshot,
} from "./check-play.ts";
import type { Episode, StepResult } from "./env.ts";

/** Same task, same script: the same texts, keys, lists and rewards, every time. */
export async function checkDeterminism(options: EnvCheckOptions, task: Task, script: readonly number[]): Promise<void> {
  const hand = (): Promise<Hand> => handOf(options, task, script);
  const first = await play(options, await options.env.open(task), await hand());
  const second = await play(options, await options.env.open(task), await hand());
  expectSame(options, task, first.actions, "A second episode of the same task", second.trace, first.trace);
}

interface TwoScripts {
  readonly before: readonly number[];
  readonly original: readonly number[];
  readonly fork: readonly number[];
}

/** A fork and its original, stepped in turns, each do exactly what they would have done alone. */
export async function checkFork(options: EnvCheckOptions, task: Task, scripts: TwoScripts): Promise<void> {
  const { env } = options;
  const hand = async (rest: readonly number[] = []): Promise<Hand> =>
    await handOf(options, task, [...scripts.before, ...rest]);
  const alone = await play(options, await env.open(task), await hand(scripts.original));
  const other = await play(options, await env.open(task), await hand(scripts.fork));
  const original = await env.open(task);
  const shared = await play(options, original, await hand(), false);
  const fork = await original.fork();
  expectSame(options, task, shared.actions, "A fresh fork", [snapshot(fork)], [snapshot(original)]);
  const kept = shared.trace.length;
  const told = await inTurns([original, alone.actions.slice(kept - 1)], [fork, other.actions.slice(kept - 1)]);
  expectSame(options, task, alone.actions, "The original of a fork", told[0], alone.trace.slice(kept));
  await original.close();
  expectSame(options, task, other.actions, "A fork", told[1], other.trace.slice(kept));
  expectSame(options, task, other.actions, "A fork after its original closed", [snapshot(fork)], other.trace.slice(-1));
  await fork.close();
}

/** Two episodes of one task that are open at once each do exactly what they would have done alone. */
export async function checkApart(options: EnvCheckOptions, task: Task, scripts: TwoScripts): Promise<void> {
  const open = (): Promise<Episode> => options.env.open(task);
  const one = await play(options, await open(), await handOf(options, task, scripts.original));
  const two = await play(options, await open(), await handOf(options, task, scripts.fork));
  const [left, right] = [await open(), await open()];
  const told = await inTurns([left, one.actions], [right, two.actions]);
  expectSame(options, task, one.actions, "An episode beside another", told[0], one.trace.slice(1));
  expectSame(options, task, two.actions, "An episode beside another", told[1], two.trace.slice(1));
  await left.close();
  await right.close();
}

type Player = readonly [Episode, readonly string[]];
async function inTurns(left: Player, right: Player): Promise<[unknown[], unknown[]]> {
  const traces: [Snapshot[], Snapshot[]] = [[], []];
  for (let at = 0; at < Math.max(left[1].length, right[1].length); at += 1) {
    for (const [side, [episode, actions]] of [left, right].entries()) {
      const action = actions[at];
      if (action !== undefined && episode.ending === undefined) await advance(episode, action, traces[side as 0 | 1]);
    }
  }
  return traces;
}

/** Every listed action is accepted, in every state along the script; at most `cap` of them in each. */
export async function checkAdmissible(
  options: EnvCheckOptions,
  task: Task,
  script: readonly number[],
  cap = 40,
): Promise<void> {
  const episode = await options.env.open(task);
  const hand = await handOf(options, task, script);
  const { actions } = await play(options, episode, { ...hand, choices: [] }, false);
  for (const choice of [...hand.choices, undefined]) {
    const list = episode.admissible();
    if (list === undefined || episode.ending !== undefined) break;
    if (new Set(list).size !== list.length) fail(options, task, actions, "The admissible list names an action twice.");
    const stride = Math.max(1, Math.ceil(list.length / cap));
    for (let index = (choice ?? 0) % stride; index < list.length; index += stride) {
      const action = list[index] as string;
      const fork = await episode.fork();
      const result = await fork.step(action);
      if (!result.valid) fail(options, task, actions, `The admissible action ${showAction(action)} was refused.`);
      await fork.close();
    }
    if (choice === undefined) break;
    const action = hand.action(episode, choice);
    actions.push(action);
    await episode.step(action);
  }
  await episode.close();
}

/** A refused action says so and leaves the world as it was. */
export async function checkInvalid(options: EnvCheckOptions, task: Task, script: readonly number[]): Promise<void> {
  const episode = await options.env.open(task);
  const { actions } = await play(options, episode, await handOf(options, task, script), false);
  for (const action of options.invalidActions ?? NONSENSE) {
    if (episode.ending !== undefined) break;
    const before = snapshot(episode);
    const result = await episode.step(action);
    const what = `The refused action ${showAction(action)}`;
    if (result.valid) fail(options, task, actions, `${what} was reported as valid.`);
    if (options.invalidChanges === "turn") continue;
    if (result.ending === "truncated") break;
    const value = scoreValue(result.reward);
    const wanted = options.invalidReward ?? 0;
    if (value !== wanted) fail(options, task, actions, `${what} gave the reward ${value}, not ${wanted}.`);
    const after = { ...snapshot(episode), observation: before.observation, reward: before.reward };
    expectSame(options, task, actions, `The world after ${showAction(action)}`, [after], [before]);
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
  const { actions } = await play(options, episode, await handOf(options, task, script), false);
  const { irreversible } = episode;
  if (irreversible !== undefined) {
    const before = snapshot(episode);
    const fork = await episode.fork();
    const listed = episode.admissible() ?? options.candidates?.(episode) ?? [];
    for (const action of [...listed, ...NONSENSE, ...HOSTILE_ACTIONS]) {
      const said = await irreversible(action);
      const what = `Whether ${showAction(action)} can be taken back`;
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
      throw new EngineError("env-contract", `${label(options, task)} rejected on the action ${showAction(action)}.`, {
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
  if (episode.success !== null)
    fail(options, task, [], `Its success is ${episode.success} before the first step, not null.`);
  const hand = await handOf(options, task, script);
  const actions: string[] = [];
  let total = 0;
  const limit = Math.min(options.env.maxSteps, 1_000);
  while (episode.ending === undefined && actions.length < limit) {
    const given = hand.choices.length === 0 ? 1 : (hand.choices[actions.length % hand.choices.length] as number);
    const action = hand.before[actions.length] ?? hand.action(episode, given + actions.length);
    actions.push(action);
    const decided = episode.success;
    const result = await episode.step(action);
    total += scoreValue(result.reward) ?? Number.NaN;
    consistent(options, task, actions, episode, result);
    decidedOnce(options, task, actions, decided, episode.success);
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

/** Null while it can still turn out either way: what was decided stays so. */
function decidedOnce(
  options: EnvCheckOptions,
  task: Task,
  actions: readonly string[],
  before: boolean | null,
  now: boolean | null,
): void {
  if (before === null || before === now) return;
  fail(options, task, actions, `Its success was ${before} and then ${now}; it is null until nothing can change it.`);
}

/** Demonstrators act on what they have seen alone: the same past and the same lots give the same action. */
export async function checkDemonstrators(options: EnvCheckOptions, task: Task): Promise<void> {
  for (const { demonstrator, actions, past } of await demonstratedIn(options, task)) {
    for (const [at, action] of actions.entries()) {
      const again = await nextOf(options, task, demonstrator, past.slice(0, at + 1));
      if (again === action) continue;
      const what = `${showAction(action)} the first time and ${showAction(again ?? "")} the second`;
      fail(
        options,
        task,
        actions.slice(0, at),
        `The demonstrator "${demonstrator.id}" chose ${what}, after the same past.`,
      );
    }
  }
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
