/**
 * The contract of a world an agent acts in. Deterministic from its task: no clock, no global randomness.
 *
 * `fork` gives an independent copy at this point; it is what makes tree rollouts, retry from a failure, counterfactual
 * credit and search possible.
 */
import type { PlainError } from "limbeck-base/base/errors";
import type { Ending, JsonObject, Message, Score, Task } from "limbeck-base/trajectory/trajectory";
import type { Demonstrator } from "./expert.ts";

export interface Env {
  readonly id: string;
  /** One sentence for `limbeck envs`. */
  readonly summary: string;
  /** Steps after which an episode is truncated, unless a wrapper says otherwise. */
  readonly maxSteps: number;
  /** The splits this world offers and how many tasks each holds; Infinity for a generator without end. */
  readonly splits: Readonly<Record<string, number>>;
  /** Scripted agents by id, the expert first, where only the opened world knows them. Default: those of its `World`. */
  readonly demonstrators?: Readonly<Record<string, Demonstrator>> | undefined;
  /** What is seen, in order, on the way to a task's goal: texts of observations, for the reward `subgoals`. Default: none. */
  readonly procedure?: ((task: Task) => readonly string[]) | undefined;
  /** The tasks of a split, lazily and always in the same order; `offset` skips without opening. */
  tasks(
    split: string,
    options?: { readonly offset?: number; readonly count?: number },
  ): Iterable<Task> | AsyncIterable<Task>;
  open(task: Task, options?: OpenOptions): Promise<Episode>;
}

export interface OpenOptions {
  readonly signal?: AbortSignal;
}

export interface Episode {
  readonly task: Task;
  /** What the agent sees now. The opening text before the first step. */
  readonly observation: string;
  /** Equal keys mean equal states, for grouping steps of different episodes of one task. */
  readonly stateKey: string;
  /** Set once the episode has ended; a step after that is an error. */
  readonly ending: Ending | undefined;
  /** Sum of the step rewards so far; unscored when the world was lost. */
  readonly reward: Score;
  /** Null while undecided and in worlds that cannot say. */
  readonly success: boolean | null;
  /** Why the world was lost, when `ending` is "failed". */
  readonly failure?: PlainError | undefined;
  /** Tool definitions the agent is given, in worlds where an action is a call. */
  readonly tools?: readonly JsonObject[] | undefined;
  /** What is asked here, as a program asks it of a chat model; the observation says the same as one text. */
  readonly request?: OwnRequest | undefined;
  /** Every action that is accepted here, or undefined where actions are free text. Computed when asked for. */
  admissible(): readonly string[] | undefined;
  /**
   * Whether this action, here and now, does what no later action takes back: a purchase, a cancelled order. Asking is
   * free and changes nothing; a world elsewhere answers later. False must be sure; true is allowed for an action that will be refused. Worlds
   * without such actions leave it out. A search that explores safely (WebOperator) never tries one before its end.
   */
  readonly irreversible?: ((action: string) => boolean | Promise<boolean>) | undefined;
  /**
   * Carries out one action. Whatever text comes, the answer is a result: what cannot be done here is `valid: false`.
   * A world that is lost on the way ends as "failed" with an unscored reward. Only misuse rejects: a step after the end
   * ("episode-ended"), after `close` ("episode-closed"), or a cancelled signal ("cancelled").
   */
  step(action: string, options?: OpenOptions): Promise<StepResult>;
  fork(): Promise<Episode>;
  /** Frees what the episode holds; may be called any number of times. */
  close(): Promise<void>;
}

/** What a program asks its model, in its own words: for chat models, which read a request as it is. */
export interface OwnRequest {
  readonly messages: readonly Message[];
  /** `{name, description?, parameters}`. */
  readonly tools: readonly JsonObject[];
  readonly maxTokens?: number;
  /** Everything else that it set, in the names of OpenAI's chat completions: temperature, tool_choice, response_format, … */
  readonly settings: JsonObject;
}

export interface StepResult {
  readonly observation: string;
  readonly reward: Score;
  /** False when the action was not understood or not possible here; the world is then unchanged but for its clock. */
  readonly valid: boolean;
  readonly ending: Ending | undefined;
  readonly success: boolean | null;
  /**
   * Facts of the step, kept with it. A world with rules that an agent can break names those it broke in `violations`, and
   * says in `brokenRules`, in words, what went against them. One that judges several things apart has a number for each in
   * `parts`, by the names that its `World` gives them.
   */
  readonly info?: JsonObject;
}
