/** What all walks of a rollout share, and what each begins with. */
import type { Env, Episode, StepResult } from "../../env/env.ts";
import type { JsonObject } from "limbeck-base/base/json";
import type { Parent, Step, Task } from "limbeck-base/trajectory/trajectory";
import type { Prices, Purse } from "../purse.ts";
import type { Agent, Mind } from "../mind/agent.ts";
import type { Gate, OwnCalls } from "../calls.ts";
import type { Judge } from "../judge.ts";
import type { Walk } from "./strategy.ts";
import type { Footing, Refusal } from "../step.ts";
import type { Speaker } from "../pay.ts";
import { EngineError } from "limbeck-base/base/errors";

export interface Runtime {
  readonly env: Env;
  readonly agent: Agent;
  readonly limits: Required<Omit<EpisodeLimits, "steps">>;
  /** Attempts at opening or stepping a world, the first included. */
  readonly attempts: number;
  readonly gate: Gate;
  /** Calls of one walk's own. */
  readonly calls: (task: Task) => OwnCalls;
  readonly prices: Prices;
  readonly judge: Judge | undefined;
  /** Whether the world is called while the thoughts after a call are sampled. */
  readonly overlap: boolean;
  readonly signal: AbortSignal;
  readonly seed: string;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** The time of day, as trajectories keep it. */
  readonly date: () => string;
  /** Takes a new walk into the forest and lets it read. `from` is the walk it left. */
  readonly start: (state: WalkState, from?: LiveWalk) => Promise<LiveWalk>;
}

/** Where a walk belongs: the scope that opened it, or the walk it left. */
export interface Home {
  /** Two walks of one id are an error. */
  enrol(walk: LiveWalk, from: LiveWalk | undefined): void;
  ended(walk: LiveWalk): void;
}

/** What a walk begins with. */
export interface WalkState {
  readonly home: Home;
  readonly id: string;
  readonly task: Task;
  readonly group: string;
  readonly label: string;
  readonly parent: Parent | undefined;
  /** Steps of the episode before its own, and own ones that were taken earlier. */
  readonly before: readonly Step[];
  readonly own: readonly Step[];
  /** Undefined when the world could not be had; then there is a failure. */
  readonly world: Episode | undefined;
  readonly failure?: unknown;
  readonly mind: Mind;
  readonly calls: OwnCalls;
  readonly purse: Purse;
  /** What its answers are drawn at. Default: the agent's own temperature. */
  readonly temperature?: number | undefined;
  /** Waiting walks go in this order, the lowest first. */
  readonly order: number;
  /** Sampled tokens of the episode so far. */
  readonly tokens: number;
  readonly bookmarks: boolean;
  /** It stops before an action that no later one takes back. */
  readonly guarded: boolean;
  readonly info: JsonObject;
  /** Tokens of its first answer that its parent has sampled. */
  readonly inherited: number;
  /** Text for the first decision. */
  readonly guidance?: string | undefined;
  /** The mind has read the present observation already. */
  readonly hasRead: boolean;
}

/** A walk as the loop sees it. */
export interface LiveWalk extends Omit<Walk, "task" | "admissible">, Footing, Speaker {
  readonly runtime: Runtime;
  readonly state: WalkState;
  temperature: number | undefined;
  /** Copies of the world before its steps; undefined until there is one. */
  readonly bookmarks: ReadonlyMap<number, Episode> | undefined;
  /** Sampled tokens of the episode so far. */
  readonly tokens: number;
  /** It is kept elsewhere and not part of this rollout's forest. */
  readonly suspended: boolean;
  /** Frees what it kept for later branches; undefined when there is nothing to wait for. */
  dispose(): Promise<unknown> | undefined;
}

/** An action that the policy did not choose. */
export interface Imposed {
  readonly action: string;
  readonly source: string;
}

/** What was asked of the world before the answer had ended; nothing where it was not. */
export interface EarlyStep {
  readonly result?: Promise<StepResult | Refusal>;
  readonly worldMs?: () => number;
}

/** Steps whose world was called while thoughts were sampled, and how long both ran. */
export interface Overlap {
  steps: number;
  ms: number;
}

// Limits of one episode and of single calls.

export interface EpisodeLimits {
  /** Steps after which an episode is truncated. Default: the world's own. */
  readonly steps?: number;
  /** Sampled tokens of an episode. */
  readonly tokens?: number;
  readonly seconds?: number;
  /** One answer of the policy. Default: 600 s. */
  readonly policySeconds?: number;
  /** One step of the world. Default: 60 s. */
  readonly envSeconds?: number;
}

export function checkEpisodeLimits(limits: EpisodeLimits): Required<Omit<EpisodeLimits, "steps">> {
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value === "number" && value > 0) continue;
    throw new EngineError("bad-limit", `The episode limit ${name} is ${value}; it must be a number above 0.`);
  }
  const { tokens = Infinity, seconds = Infinity, policySeconds = 600, envSeconds = 60 } = limits;
  return { tokens, seconds, policySeconds, envSeconds };
}
