/** What a training says while it goes on: the terminal, `--json` and the report are made of these. */
import type { Evaluation } from "limbeck-core/eval/evaluate";
import type { Phase } from "limbeck-core/update/record";

export interface Spent {
  readonly environmentSteps: number;
  readonly sampledTokens: number;
  /** Tokens the policy read or was scored on, where they are not sampled ones. */
  readonly modelTokens: number;
  /** Of the updates alone, without evaluations. */
  readonly updateSeconds: number;
  readonly seconds: number;
}

export interface StartEvent {
  readonly kind: "start";
  readonly run: string;
  readonly recipe: string;
  readonly env: string;
  readonly parameters: number;
  /** Updates done before, and in all. */
  readonly from: number;
  readonly updates: number;
}

/**
 * Success on fixed tasks that are not trained on; "midway" is on those of "before" and "after", "probe" the teacher's own, with skills, on
 * tasks of the update.
 */
export interface EvaluationEvent {
  readonly kind: "before" | "midway" | "validation" | "after" | "probe";
  readonly update: number;
  readonly evaluation: Evaluation;
}

export interface UpdateEvent {
  readonly kind: "update";
  readonly update: number;
  readonly updates: number;
  /** Share of this update's training episodes that succeeded, of those that were not lost. */
  readonly success: number;
  readonly episodes: number;
  readonly reward: number;
  /** Mean surprise of the sampled tokens, which estimates the entropy, in nats. */
  readonly entropy: number;
  readonly metrics: Readonly<Record<string, number>>;
  /** Seconds of each phase, and of the whole update. */
  readonly phases: Readonly<Record<Phase, number>>;
  readonly seconds: number;
  readonly spent: Spent;
}

/** Something a person should know: the guard stopped the teacher, an analysis failed, episodes were lost. */
export interface NoticeEvent {
  readonly kind: "notice";
  readonly update: number;
  readonly message: string;
}

export interface EndEvent {
  readonly kind: "end";
  /** early-stop: it reached what it was to reach. stopped: by the brake, whose last notice has the cause. */
  readonly reason: "finished" | "early-stop" | "stopped";
  readonly update: number;
  readonly before: Evaluation;
  readonly after: Evaluation;
  readonly spent: Spent;
  /** SHA-256 of the numbers that learned, in hexadecimal; missing where they are elsewhere. */
  readonly digest?: string;
}

export type TrainEvent = StartEvent | EvaluationEvent | UpdateEvent | NoticeEvent | EndEvent;
