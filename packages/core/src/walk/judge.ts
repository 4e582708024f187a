/** Further callbacks of a rollout. Each is a function that the caller gives; rollout calls no model of its own. */
import { EngineError, errorData, isAbort } from "limbeck-base/base/errors";
import { unscored } from "limbeck-base/trajectory/score";
import type { Reward, Score, Step, Task, Trajectory, Usage } from "limbeck-base/trajectory/trajectory";
import type { Purse } from "./purse.ts";

/** A finished episode, from the root: the trajectory holds only its own steps, `steps` all of them. */
export interface Finished {
  readonly task: Task;
  readonly trajectory: Trajectory;
  readonly steps: readonly Step[];
}

export interface AskOptions {
  readonly signal: AbortSignal;
}

export interface Judgement {
  /** Replaces the world's reward. */
  readonly reward?: Score;
  readonly success?: boolean | null;
  /** Further rewards, kept with the trajectory. */
  readonly rewards?: readonly Reward[];
  /** One score a step of the whole episode, for strategies that look for the first wrong one; null: no opinion. */
  readonly stepScores?: readonly (number | null)[];
}

/** Judges every finished episode. When it throws, or the budget cannot pay it, the episode is unscored. */
export interface Judge {
  (finished: Finished, options: AskOptions): Promise<Judgement>;
  /** Model calls that one judgement takes. Default: none. */
  readonly modelCalls?: number;
}

/** Its judgement, paid for beforehand. A judge that fails leaves the episode unscored, with the reason kept. */
export async function judgeFinished(
  judge: Judge,
  finished: Finished,
  purse: Purse,
  signal: AbortSignal,
): Promise<Judgement> {
  const needed = judge.modelCalls ?? 0;
  const paid = purse.reserve("modelCalls", needed);
  try {
    if (paid < needed) throw new EngineError("budget", "no model calls are left to pay it");
    const judgement = await judge(finished, { signal });
    const { reward } = judgement;
    if (reward?.kind !== "scored" || Number.isFinite(reward.value)) return judgement;
    throw new EngineError("bad-judgement", `it gave the reward ${reward.value}, not a finite number`);
  } catch (error) {
    const score = unscored(`The judge failed: ${isAbort(error) ? "cancelled" : errorData(error).message}`);
    return { reward: score, success: null, rewards: [{ name: "judge", source: "judge", score }] };
  } finally {
    purse.settle("modelCalls", paid, paid < needed ? 0 : paid);
  }
}

/**
 * How likely unfinished episodes are to succeed, from 0 to 1: one contract for values of searches, rewards of steps and
 * strategies. `openScorer` opens a trained one.
 */
export interface OutcomeScorer {
  /** After the last token of each context: what a state is worth. */
  scoreTokens(contexts: readonly Int32Array[], signal?: AbortSignal): Promise<number[]>;
  /** Whether it judges each step for itself instead of foretelling the outcome after it. Default: no. */
  readonly ofSteps?: boolean | undefined;
  /** After each step of a whole episode. */
  scoreSteps(trajectory: Trajectory, steps: readonly Step[]): Promise<number[]>;
}

/**
 * A judge by a scorer: the world's own verdict stands, and each step is scored by what became of the chance, c' / (c + c').
 * Half is no change; what lowers it is below. Of the first step there is nothing to compare with. A scorer of steps has
 * gave it already.
 */
export function scorerJudge(scorer: OutcomeScorer): Judge {
  return async ({ trajectory, steps }) => {
    // Strategies look for wrong steps of whole episodes, and branches are what they make of them.
    if (trajectory.parent !== undefined) return {};
    const chances = await scorer.scoreSteps(trajectory, steps);
    if (scorer.ofSteps === true) return { stepScores: chances };
    return { stepScores: chances.map((chance, at) => changeScore(chances[at - 1], chance)) };
  };
}

function changeScore(before: number | undefined, after: number): number | null {
  const sum = (before ?? Number.NaN) + after;
  return sum > 0 ? after / sum : null;
}

export interface Reflection {
  /** Index of the step to go back to. */
  readonly step: number;
  /** What to do differently. */
  readonly guidance: string;
  readonly usage?: Usage;
}

/** Looks back at a finished episode; undefined when it has nothing to say. */
export type Reflector = (finished: Finished, options: AskOptions) => Promise<Reflection | undefined>;

/** A better action for one step of a finished episode; undefined when it knows none. */
export type Corrector = (
  finished: Finished,
  step: number,
  options: AskOptions,
) => Promise<{ readonly action: string; readonly usage?: Usage } | undefined>;

/**
 * Finished episodes that other runs have made of a task, in a fixed order: a store is one. It is asked before the task is
 * rolled out, so that what it gives does not depend on what this rollout adds to it; a store leaves out the run that asks.
 */
export type Pool = (task: Task, options: AskOptions) => Promise<readonly Trajectory[]>;
