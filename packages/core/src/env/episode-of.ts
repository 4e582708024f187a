/** An episode whose whole state is one value, which a step replaces and a fork shares. Most worlds are made of it. */
import { EngineError, errorData, throwIfAborted, type PlainError } from "limbeck-base/base/errors";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Ending, Score, Task } from "limbeck-base/trajectory/trajectory";
import type { JsonObject } from "limbeck-base/base/json";
import type { Episode, OpenOptions, OwnRequest } from "./env.ts";
import { episodeClosed, episodeEnded } from "./episode-error.ts";

/** What one action did. */
export interface Taken<State> {
  readonly state: State;
  readonly valid: boolean;
  /** Of this step alone. */
  readonly reward: Score;
  readonly info?: JsonObject | undefined;
}

/** What is read off a state, as the fields of `Episode` say, and where an action leads. */
export interface StateRules<State> {
  observation(state: State): string;
  stateKey(state: State): string;
  ending(state: State): Ending | undefined;
  reward(state: State): Score;
  success(state: State): boolean | null;
  failure?(state: State): PlainError | undefined;
  readonly tools?: readonly JsonObject[];
  request?(state: State): OwnRequest | undefined;
  /** Default: actions are free text. */
  admissible?(state: State): readonly string[] | undefined;
  irreversible?(state: State, action: string): boolean;
  /** Called only while the episode goes on. The state it was given stays as it is. */
  step(state: State, action: string, options: OpenOptions): Taken<State> | Promise<Taken<State>>;
  /** The state of an independent copy. Default: the same one. */
  fork?(state: State): Promise<State>;
  /** Frees what the state holds. Called once. */
  close?(state: State): Promise<void>;
}

/**
 * Guards against misuse are built in: no step after the end or after `close`, none with a cancelled signal.
 *
 * @example
 * const task = { id: "count/1", env: "count", seed: 1, goal: "Say more until you reach 2.", split: "train" };
 * const episode = episodeOf(task, 0, {
 *   observation: (count) => `You are at ${count}.`,
 *   stateKey: String,
 *   ending: (count) => (count === 2 ? "terminated" : undefined),
 *   reward: (count) => scored(count / 2),
 *   success: (count) => (count === 2 ? true : null),
 *   step: (count, action) => ({ state: count + 1, valid: action === "more", reward: scored(0.5) }),
 * });
 * console.log((await episode.step("more")).observation, (await episode.step("more")).success); // You are at 1. true
 */
export function episodeOf<State>(task: Task, start: State, rules: StateRules<State>): Episode {
  let state = start;
  let closed = false;
  return {
    task,
    get observation() {
      return rules.observation(state);
    },
    get stateKey() {
      return rules.stateKey(state);
    },
    get ending() {
      return rules.ending(state);
    },
    get reward() {
      return rules.reward(state);
    },
    get success() {
      return rules.success(state);
    },
    get failure() {
      return rules.failure?.(state);
    },
    tools: rules.tools,
    get request() {
      return rules.request?.(state);
    },
    irreversible: rules.irreversible && ((action) => rules.irreversible?.(state, action) === true),
    admissible: () => rules.admissible?.(state),
    step: async (action, options = {}) => {
      if (closed) throw episodeClosed(task);
      const over = rules.ending(state);
      if (over !== undefined) throw episodeEnded(task, over);
      throwIfAborted(options.signal);
      const { state: next, info, ...taken } = await rules.step(state, action, options);
      state = next;
      const [observation, ending, success] = [rules.observation(state), rules.ending(state), rules.success(state)];
      return { observation, ending, success, ...taken, ...(info === undefined ? {} : { info }) };
    },
    fork: async () => {
      if (closed) throw episodeClosed(task);
      return episodeOf(task, (await rules.fork?.(state)) ?? state, rules);
    },
    close: async () => {
      if (closed) return;
      closed = true;
      await rules.close?.(state);
    },
  };
}

/** What most worlds keep of an episode beside what is their own. */
export interface PlainState {
  readonly observation: string;
  readonly ending: Ending | undefined;
  readonly reward: Score;
  readonly success: boolean | null;
  readonly failure: PlainError | undefined;
}

/** How an episode begins: open, and worth nothing yet. */
export function openState(observation: string): PlainState {
  return { observation, ending: undefined, reward: scored(0), success: null, failure: undefined };
}

/** The rules that such a state answers by itself. */
export const PLAIN_RULES = {
  observation: ({ observation }: PlainState) => observation,
  ending: ({ ending }: PlainState) => ending,
  reward: ({ reward }: PlainState) => reward,
  success: ({ success }: PlainState) => success,
  failure: ({ failure }: PlainState) => failure,
} as const;

/** The end of an episode whose world was lost. `what` happened, where the error has no name of its own. */
export function lostState(error: unknown, what: string) {
  const failure = errorData(error instanceof EngineError ? error : new EngineError("env-lost", what, { cause: error }));
  return { ending: "failed", reward: unscored(failure.message), success: null, failure } as const;
}
