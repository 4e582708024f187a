/** The contract of a strategy: which episodes are walked, from where, and how far. It judges nothing and trains nothing. */
import type { Ending, Parent, Score, Step, Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { JsonObject } from "limbeck-base/base/json";
import type { TrajectoryJson } from "limbeck-base/trajectory/schema";
import type { Env } from "../../env/env.ts";
import type { Judgement } from "../judge.ts";
import type { Agent, Answer, BranchPoint } from "../mind/agent.ts";
import type { Purse } from "../purse.ts";
import { checkNeeds, type Assistants, type WalkScope } from "../scope.ts";

// The contract of a walk: one agent in one episode, step by step. It is what strategies are made of.

export interface WalkStart {
  /** Trajectories of one group are compared with each other. Default: the task's own. */
  readonly group?: string;
  /** Text for the first decision only. */
  readonly guidance?: string;
  /** Keeps a copy of the world before every step, so that `branchAt` need not replay it. */
  readonly bookmarks?: boolean;
  /** Kept with the trajectory. */
  readonly info?: JsonObject;
  /** It stops before an action that no later one takes back (`Episode.irreversible`). Default: no. */
  readonly safe?: boolean;
  /**
   * The agent's rough copy walks it (`Agent.rough`), with the random numbers that the agent itself has under this label. Such a walk explores:
   * it is to be left by `suspend`, which stores nothing. Default: no.
   */
  readonly rough?: boolean;
}

export interface ForkStart {
  readonly info?: JsonObject;
  /** As above. Default: as the walk it leaves. */
  readonly safe?: boolean;
}

/**
 * Whatever fails on the way (the policy, the world, a time limit) ends the walk as "failed" or "truncated"; the methods
 * do not reject for it. They reject with "cancelled" when the rollout was cancelled, and for misuse.
 */
export interface Walk {
  /** The id of its trajectory: the group, then the labels that led here. */
  readonly id: string;
  readonly task: Task;
  readonly group: string;
  readonly parent: Parent | undefined;
  /** What it spends from. `each` and `together` set it. */
  purse: Purse;
  /** What its next answers are drawn at; a branch begins with the same. Undefined: the agent's own temperature. */
  temperature: number | undefined;
  /** Its own steps, and all steps of the episode from the root. */
  readonly steps: readonly Step[];
  readonly episode: readonly Step[];
  /** Index of the next step. */
  readonly depth: number;
  readonly observation: string;
  readonly stateKey: string;
  /** Set once it is over. */
  readonly ending: Ending | undefined;
  /** As the world says, and once it is over as the judge says. */
  readonly reward: Score;
  readonly success: boolean | null;
  readonly judgement: Judgement | undefined;
  /** Why it was stopped, when neither the world nor a failure ended it. */
  readonly stopped: string | undefined;
  admissible(): readonly string[] | undefined;
  /** Tokens of the answer in hand so far; 0 between steps. */
  readonly said: number;
  /** The whole context of the policy, exact; empty for agents without tokens. */
  context(): Int32Array;
  /** Own tokens and log-probabilities of a step's answer; undefined for agents without tokens. */
  answer(step: number): Answer | undefined;

  /** Says up to so many more tokens of the next answer; true when the answer is complete. The world is not stepped. */
  speak(maxTokens: number): Promise<boolean>;
  /** Completes the answer and carries it out. Undefined when the walk is over, or is now over without a further step. */
  step(): Promise<Step | undefined>;
  /** Carries out an action that the policy did not choose; `source` names its origin. */
  impose(action: string, source: string): Promise<Step | undefined>;
  /** Steps until it is over, or until the condition holds after a step. */
  advance(until?: (walk: Walk) => boolean): Promise<void>;
  /**
   * An independent walk from here on, also in the middle of an answer. Undefined when the purse cannot pay it or the walk
   * is over. A world that cannot be copied is opened anew and its past replayed, which costs environment steps; one that
   * says it must not be ("cannot-fork") ends the rollout with that error.
   */
  fork(label: string | number, start?: ForkStart): Promise<Walk | undefined>;
  /** The same from an earlier point of its own steps, also once it is over. Without bookmarks the world is replayed. */
  branchAt(point: BranchPoint, label: string | number, start?: ForkStart): Promise<Walk | undefined>;
  /** Ends it as truncated. Its reward is unscored unless `scored`, then it is what the world says so far. */
  stop(why: string, options?: { readonly scored?: boolean }): Promise<void>;
  /**
   * Ends it without storing it; `Scope.resume` goes on from what it returns. One that is over is kept back as it is:
   * `Scope.adopt` stores it in a later rollout. Only for walks without parent.
   */
  suspend(): Promise<Suspended>;
  /** Adds facts to what is kept with the trajectory. */
  note(info: JsonObject): void;
  /** As it will be stored. */
  trajectory(): Trajectory;
}

/** An unfinished episode as plain data: it can be kept in a file and resumed later, by another policy version. */
export interface Suspended {
  /** In the JSON form of the schema. */
  readonly trajectory: TrajectoryJson;
  readonly label: string;
  /** It was over: there is nothing to go on with. */
  readonly over: boolean;
}

/** What a strategy works with, and whom it may ask. */
export interface Scope extends WalkScope<Scope, EachOptions>, Assistants {
  /** The tasks of this rollout, in order. A scope inside `each` has them too. */
  readonly tasks: readonly Task[];
  /** What stands before the names of this rollout's groups. */
  readonly prefix: string;
  /** Opens an episode. Undefined when the purse cannot pay a single step. `label` names it within its group. */
  open(task: Task, label: string | number, options?: WalkStart): Promise<Walk | undefined>;
  /** Goes on with a walk that was suspended, from what was kept of it. */
  resume(kept: Suspended): Promise<Walk | undefined>;
  /**
   * Takes a finished episode of an earlier rollout into this one: it is among the results. `stored`: the store has it
   * already. Branches follow their parents.
   */
  adopt(trajectory: Trajectory, options?: { readonly stored?: boolean }): void;
  /** Works on open walks at the same time, each with a purse of its own; results in order. */
  together<Result>(
    walks: readonly Walk[],
    work: (walk: Walk, index: number) => Promise<Result>,
    options?: EachOptions,
  ): Promise<Result[]>;
}

/** Items of the outermost scope are stored as they finish. */
export interface EachOptions {
  /** For how many whole episodes an item needs money. Default: 1. */
  readonly walks?: number;
}

/** One strategy, ready to run. It may remember things between rollouts; `save` and `load` carry them over a restart. */
export interface Strategy {
  run(scope: Scope): Promise<void>;
  /** The world as it wants it: with further actions, for example. Default: the environment's own. */
  world?(env: Env): Env;
  save?(): JsonObject;
  load?(state: JsonObject): void;
  /** Episodes that it has begun and goes on with in the next rollout; they are part of what `save` gives. */
  kept?(): KeptEpisodes;
}

export interface KeptEpisodes {
  readonly groups: number;
  /** Tokens that were sampled for them so far. */
  readonly tokens: number;
}

export type StrategyNeed = "fork" | "tokens" | "scorer" | "judge" | "reflector" | "corrector" | "pool" | "rough";

// What strategies may need beyond an environment and an agent, checked before any work.

export const strategyNeeds = {
  corrector: "a corrector: who proposes a better action for a step",
  fork: "a world that can be copied",
  judge: "a judge: who scores episodes or steps",
  pool: "a pool: where finished episodes of other runs come from",
  reflector: "a reflector: who looks back at an episode and says what to do differently",
  rough: "a policy that can be copied in fewer bits: a model in this process with float32 weights",
  scorer: "a policy that scores given tokens",
  tokens: "a policy with exact tokens",
} as const satisfies Record<StrategyNeed, string>;

interface NeedsOptions extends Assistants {
  readonly agent: Agent;
  readonly strategy: { readonly needs?: readonly StrategyNeed[] };
}

export function checkStrategyNeeds({ agent, strategy, judge, reflector, corrector, pool }: NeedsOptions): void {
  const there = {
    corrector: corrector !== undefined,
    // Found out by trying: a world that cannot be copied refuses the first fork.
    fork: true,
    judge: judge !== undefined,
    pool: pool !== undefined,
    reflector: reflector !== undefined,
    rough: agent.rough !== undefined,
    scorer: agent.scorer !== undefined,
    tokens: agent.exact,
  };
  checkNeeds(strategy.needs, there, (missing) => {
    const words = missing.map((need) => strategyNeeds[need]).join(", and ");
    return `The strategy needs ${words}; give it, or choose another strategy.`;
  });
}
