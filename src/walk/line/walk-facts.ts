/** A walk as far as it has come: the part of it that only tells. */
import type { PlainError } from "../../base/index.ts";
import type { Env, Episode } from "../../env/env.ts";
import {
  unscored,
  type Ending,
  type JsonObject,
  type Parent,
  type Score,
  type Step,
  type Task,
  type TokenStream,
  type Trajectory,
} from "../../trajectory/index.ts";
import type { OwnCalls } from "../calls.ts";
import type { Judgement } from "../judge.ts";
import type { Answer, Mind } from "../mind/agent.ts";
import { paySteps } from "../pay.ts";
import type { Prices, Purse } from "../purse.ts";
import type { Speaker } from "../speak.ts";
import type { Footing } from "../step.ts";
import { listedActions } from "../../env/world-faults.ts";
import type { Runtime, WalkState } from "./runtime.ts";
import { walkTrajectory, type Tally } from "./walk-trajectory.ts";

/** Limits of the episode itself: what the world says so far counts. Any other stop leaves the episode unscored. */
const SCORED_STOPS: ReadonlySet<string> = new Set(["tokens", "time"]);

export interface Stopping {
  /** What the world says so far counts. */
  readonly scored?: boolean;
  /** More of why, in words. */
  readonly because?: string;
}

/** What is known of a walk so far, and what it can be asked. */
export abstract class WalkFacts implements Footing, Speaker {
  readonly runtime: Runtime;
  readonly state: WalkState;
  readonly mind: Mind;
  readonly calls: OwnCalls;
  world: Episode | undefined;
  bookmarks: Map<number, Episode> | undefined;
  readonly steps: Step[];
  purse: Purse;
  temperature: number | undefined;
  tokens: number;
  ending: Ending | undefined;
  stopped: string | undefined;
  judgement: Judgement | undefined;
  suspended = false;
  readonly admissible = (): readonly string[] | undefined =>
    this.ending === undefined && this.world !== undefined ? listedActions(this.world) : undefined;
  protected readonly startedMs: number;
  protected readonly tally: Tally;
  protected info: JsonObject;
  /** It was stopped, but what the world says so far counts. */
  protected scoredStop = false;
  /** More of why it was stopped, in words. */
  protected because: string | undefined;
  protected failure: PlainError | undefined;
  /** As they were when it ended: a call that was given up may go on for a while, and nobody hears it. */
  protected streams: readonly TokenStream[] | undefined;

  constructor(runtime: Runtime, state: WalkState) {
    this.runtime = runtime;
    this.state = state;
    this.mind = state.mind;
    this.calls = state.calls;
    this.world = state.world;
    this.steps = [...state.own];
    this.purse = state.purse;
    this.temperature = state.temperature;
    this.tokens = state.tokens;
    this.info = state.info;
    this.startedMs = runtime.now();
    this.tally = { startedAt: runtime.date(), modelCalls: 0, policyMs: 0, envMs: 0, durationMs: 0 };
  }

  get id(): string {
    return this.state.id;
  }
  get task(): Task {
    return this.state.task;
  }
  get group(): string {
    return this.state.group;
  }
  get parent(): Parent | undefined {
    return this.state.parent;
  }
  get env(): Env {
    return this.runtime.env;
  }
  get signal(): AbortSignal {
    return this.runtime.signal;
  }
  get attempts(): number {
    return this.runtime.attempts;
  }
  get prices(): Prices {
    return this.runtime.prices;
  }
  get guarded(): boolean {
    return this.state.guarded;
  }
  get episode(): readonly Step[] {
    return [...this.state.before, ...this.steps];
  }
  get depth(): number {
    return this.state.before.length + this.steps.length;
  }
  get observation(): string {
    return this.world?.observation ?? "";
  }
  get stateKey(): string {
    return this.world?.stateKey ?? "";
  }
  get said(): number {
    return this.mind.said;
  }
  get reward(): Score {
    if (this.failure !== undefined) return unscored(this.failure.message);
    if (this.judgement?.reward !== undefined) return this.judgement.reward;
    if (this.stopped !== undefined && !this.scoredStop) {
      return unscored([`stopped: ${this.stopped}`, this.because ?? []].flat().join(". "));
    }
    return this.world?.reward ?? unscored("never opened");
  }
  get success(): boolean | null {
    if (this.failure !== undefined || (this.stopped !== undefined && !this.scoredStop)) return null;
    if (this.judgement?.success !== undefined) return this.judgement.success;
    const success = this.world?.success ?? null;
    // An episode that ran out of what it was given did not reach its goal in time.
    return success === null && this.stopped !== undefined ? false : success;
  }

  /** A full context is no limit of the episode but of the model: only a goal that was reached before counts. */
  protected countsAfter(stop: string): boolean {
    return SCORED_STOPS.has(stop) || (stop === "context" && this.world?.success === true);
  }
  protected full(): Stopping {
    return { because: `It is full: ${this.context().length} tokens were read and said.` };
  }

  context(): Int32Array {
    return this.mind.context();
  }
  answer(step: number): Answer | undefined {
    const span = this.steps[step - this.state.before.length]?.span;
    return span === undefined ? undefined : this.mind.answer(span);
  }
  note(info: JsonObject): void {
    this.info = { ...this.info, ...info };
  }
  trajectory(): Trajectory {
    const { tally, info, failure, mind, streams = mind.streams() } = this;
    return walkTrajectory(this, { tally, info, failure, streams });
  }
  pay(steps: number): boolean {
    return paySteps(this.purse, steps);
  }
}
