/** A walk at work. Whatever happens on the way, it ends in one trajectory. */
import { EngineError, errorCode, throwIfAborted, type PlainError } from "limbeck-base/base/errors";
import { sum } from "limbeck-base/base/statistics/summary";
import type { Episode, StepResult } from "../../env/env.ts";
import { listedActions } from "../../env/world-faults.ts";
import { trajectoryToJson } from "limbeck-base/trajectory/schema";
import { unscored } from "limbeck-base/trajectory/score";
import type { Ending, Score, Step, TokenStream, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { JsonObject } from "limbeck-base/base/json";
import { judgeFinished, type Judgement } from "../judge.ts";
import type { Answer, BranchPoint, Decision, Spoken } from "../mind/agent.ts";
import { holdSpeech, paySteps, speak, type Speaker } from "../pay.ts";
import { carryOut, outward, recordStep, unfinishedStep, type Footing, type Refusal, type SeenState } from "../step.ts";
import type { EarlyStep, Imposed, LiveWalk, Overlap, Runtime, WalkState } from "./runtime.ts";
import { storedError } from "../stored-error.ts";
import { closeWorld, copyWorld } from "../worlds.ts";
import { branchWalk, forkWalk } from "./branch-walk.ts";
import type { ForkStart, Suspended, Walk } from "./strategy.ts";

// A walk as far as it has come: its read-only part.

/** Limits of the episode itself: what the world says so far counts. Any other stop leaves the episode unscored. */
const SCORED_STOPS: ReadonlySet<string> = new Set(["tokens", "time"]);

interface Stopping {
  /** What the world says so far counts. */
  readonly scored?: boolean;
  /** More of why, in words. */
  readonly because?: string;
}

/** A walk by what it begins with; its fields are then named once. */
class BegunWalk {
  readonly runtime: Runtime;
  readonly state: WalkState;

  constructor(runtime: Runtime, state: WalkState) {
    this.runtime = runtime;
    this.state = state;
  }
}

/** What is known of a walk so far, and what it can be asked. */
abstract class WalkFacts extends BegunWalk implements Footing, Speaker {
  readonly id = this.state.id;
  readonly task = this.state.task;
  readonly group = this.state.group;
  readonly parent = this.state.parent;
  readonly mind = this.state.mind;
  readonly calls = this.state.calls;
  readonly guarded = this.state.guarded;
  readonly env = this.runtime.env;
  readonly signal = this.runtime.signal;
  readonly attempts = this.runtime.attempts;
  readonly prices = this.runtime.prices;
  world = this.state.world;
  bookmarks: Map<number, Episode> | undefined;
  readonly steps = [...this.state.own];
  purse = this.state.purse;
  temperature = this.state.temperature;
  tokens = this.state.tokens;
  ending: Ending | undefined;
  stopped: string | undefined;
  judgement: Judgement | undefined;
  suspended = false;
  readonly admissible = (): readonly string[] | undefined =>
    this.ending === undefined && this.world !== undefined ? listedActions(this.world) : undefined;
  protected readonly startedMs = this.runtime.now();
  /** What the walk itself has taken. */
  protected readonly tally = { startedAt: this.runtime.date(), modelCalls: 0, policyMs: 0, envMs: 0, durationMs: 0 };
  protected info = this.state.info;
  /** It was stopped, but what the world says so far counts. */
  protected scoredStop = false;
  /** More of why it was stopped, in words. */
  protected because: string | undefined;
  protected failure: PlainError | undefined;
  /** As they were when it ended: a call that was given up may go on for a while, and nothing listens to it. */
  protected streams: readonly TokenStream[] | undefined;

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
  /** The walk as the trajectory that is stored. */
  trajectory(): Trajectory {
    const { id, task, group, parent, steps, judgement, stopped, mind, world, reward, success, failure } = this;
    const { modelCalls, ...timing } = this.tally;
    const { agent } = this.runtime;
    const shared = parent === undefined ? 0 : mind.sharedTokens;
    const info: JsonObject = {
      ...this.info,
      ...(stopped === undefined ? {} : { stopped }),
      ...(parent === undefined || !agent.exact ? {} : { sharedTokens: shared }),
    };
    const completionTokens = sum(steps.map(({ usage }) => usage?.completionTokens ?? 0));
    return {
      id,
      task,
      group,
      ...(parent === undefined ? {} : { parent }),
      steps: [...steps],
      streams: this.streams ?? mind.streams(),
      ending: this.ending ?? "truncated",
      reward,
      success,
      rewards: judgement?.rewards ?? [],
      policy: agent.ref,
      usage: { completionTokens, modelCalls, ...(shared === 0 ? {} : { cachedTokens: shared }) },
      timing,
      ...(world === undefined ? {} : { closing: { observation: world.observation } }),
      ...(world?.tools === undefined ? {} : { tools: world.tools }),
      ...(failure === undefined ? {} : { failure }),
      ...(Object.keys(info).length === 0 ? {} : { info }),
    };
  }
  pay(steps: number): boolean {
    return paySteps(this.purse, steps);
  }
}

/** Takes the walk into the forest and lets it read its opening. */
export async function startWalk(runtime: Runtime, state: WalkState, from?: LiveWalk): Promise<LiveWalk> {
  const walk = new WalkAtWork(runtime, state);
  state.home.enrol(walk, from);
  await walk.begin();
  return walk;
}

const afterOne = (): boolean => true;
const never = (): boolean => false;

class WalkAtWork extends WalkFacts implements LiveWalk {
  /** Milliseconds that the answer in hand has taken. */
  #answerMs = 0;
  #answered = false;
  /** The context is full: nothing more can be sampled. */
  #full = false;
  #busy = false;
  readonly #overlap: Overlap = { steps: 0, ms: 0 };

  /** Lets it read its opening, unless it has. */
  async begin(): Promise<void> {
    const { world, hasRead, bookmarks, failure } = this.state;
    try {
      if (world === undefined) await this.#fail(failure);
      else if (world.ending !== undefined) await this.#end(world.ending);
      else if (!hasRead) await this.#read(this.steps.at(-1)?.action);
      else if (bookmarks) await this.#keepWorld(world);
    } catch (error) {
      await this.#fail(error);
    }
  }

  async speak(maxTokens: number): Promise<boolean> {
    if (!(Number.isInteger(maxTokens) && maxTokens >= 1)) {
      throw new EngineError("bad-option", `speak(${maxTokens}): say at least 1 token, a whole number.`);
    }
    if (!(await this.#enter())) return true;
    try {
      return (await this.#say(maxTokens)) ?? true;
    } catch (error) {
      await this.#caught(error);
      return true;
    } finally {
      this.#leave();
    }
  }

  step(): Promise<Step | undefined> {
    return this.#walkOn(afterOne);
  }

  impose(action: string, source: string): Promise<Step | undefined> {
    if (this.mind.said > 0) {
      const message = `Walk "${this.id}" has begun an answer; impose an action before it speaks.`;
      return Promise.reject(new EngineError("walk-busy", message));
    }
    return this.#walkOn(afterOne, { action, source });
  }

  async advance(until: (walk: Walk) => boolean = never): Promise<void> {
    if (this.ending === undefined) await this.#walkOn(until);
  }

  fork(label: string | number, start: ForkStart = {}): Promise<Walk | undefined> {
    return forkWalk(this, String(label), start);
  }

  branchAt(point: BranchPoint, label: string | number, start: ForkStart = {}): Promise<Walk | undefined> {
    return branchWalk(this, point, String(label), start);
  }

  async stop(why: string, { scored = false, because }: Stopping = {}): Promise<undefined> {
    if (this.ending !== undefined) return;
    this.stopped = why;
    this.because = because;
    this.scoredStop = scored || this.countsAfter(why);
    await this.#end("truncated");
  }

  async suspend(): Promise<Suspended> {
    if (this.parent !== undefined) {
      throw new EngineError("cannot-suspend", `Walk "${this.id}" is a branch; only walks without parent can be kept.`);
    }
    const over = this.ending !== undefined;
    this.suspended = true;
    await this.stop("suspended");
    return { trajectory: trajectoryToJson(this.trajectory()), label: this.state.label, over };
  }

  dispose(): Promise<unknown> | undefined {
    const kept = this.bookmarks;
    this.bookmarks = undefined;
    return kept === undefined ? undefined : Promise.all([...kept.values()].map(closeWorld));
  }

  /** Steps until the condition holds after one; the last step. Undefined when the walk ended without a further one. */
  async #walkOn(until: (walk: Walk) => boolean, imposed?: Imposed): Promise<Step | undefined> {
    for (;;) {
      const inside = this.#enter();
      if (!(typeof inside === "boolean" ? inside : await inside)) return undefined;
      const seen = { observation: this.observation, stateKey: this.stateKey };
      let decision: Decision | undefined;
      let step: Step | undefined;
      let asked: EarlyStep | undefined;
      try {
        if (this.purse.left("envSteps") < 1 || this.purse.left("seconds") <= 0) return await this.stop("budget");
        if (imposed !== undefined) this.mind.impose(imposed.action);
        else if (this.#hasToSay && this.mind.called !== undefined) {
          const { answerAndAsk } = await import("./call-first.ts");
          asked = await answerAndAsk(this, { seen, say: (most) => this.#say(most), overlap: this.#overlap });
          if (asked === undefined) return undefined;
        } else if (this.#hasToSay && (await this.#say(Infinity)) !== true) return undefined;
        else if (this.mind.consult !== undefined) await this.mind.consult();
        decision = this.#decide(imposed);
        const started = this.runtime.now();
        const waiting =
          asked?.result ?? (decision.internal === undefined ? carryOut(this, decision.action, seen) : undefined);
        const result = await waiting;
        if (typeof result === "string") return await this.#refuse(decision, result);
        step = this.#record(decision, seen, result, asked?.worldMs?.() ?? this.runtime.now() - started);
        const following = this.#goOn(decision, result?.ending);
        if (following !== undefined) await following;
      } catch (error) {
        // Its tokens count, though no step came of them.
        if (decision !== undefined && step === undefined) {
          this.steps.push(unfinishedStep(this.depth, seen, decision));
        }
        return await this.#caught(error);
      } finally {
        this.#leave();
      }
      if (until(this) || this.ending !== undefined) return step;
    }
  }

  get #hasToSay(): boolean {
    return !this.#answered && this.runtime.agent.answerTokens > 0;
  }

  /** Says up to so many tokens of the answer; true when it is complete. Undefined when the walk had to be stopped. */
  async #say(maxTokens: number): Promise<boolean | undefined> {
    if (!this.#hasToSay) return true;
    const { agent, limits, now } = this.runtime;
    const wanted = Math.min(maxTokens, Math.max(agent.answerTokens - this.mind.said, 1));
    const inEpisode = Math.min(wanted, limits.tokens - this.tokens);
    if (inEpisode < 1) return await this.stop("tokens");
    const held = holdSpeech(this, this.purse, inEpisode);
    if (held === undefined) return await this.stop("budget");
    const started = now();
    let spoken: Spoken;
    try {
      spoken = await speak(this, this.purse, held);
    } finally {
      this.#answerMs += now() - started;
    }
    this.tokens += spoken.tokens;
    this.tally.modelCalls += spoken.modelCalls;
    this.#full ||= spoken.full;
    this.#answered = spoken.ended;
    if (spoken.ended || held.said === wanted) return spoken.ended;
    return await this.stop(held.said < inEpisode ? "budget" : "tokens");
  }

  #decide(imposed: Imposed | undefined): Decision {
    const decision = this.mind.decide();
    if (imposed !== undefined) return { ...decision, info: { ...decision.info, source: imposed.source } };
    return decision.internal === undefined ? decision : outward(decision, this.episode);
  }

  #record(decision: Decision, seen: SeenState, result: StepResult | undefined, envMs: number): Step {
    const policyMs = this.#answerMs;
    this.#answerMs = 0;
    this.#answered = false;
    this.tally.policyMs += policyMs;
    if (result !== undefined) this.tally.envMs += envMs;
    const step = recordStep({
      index: this.depth,
      seen,
      decision,
      result,
      policyMs,
      envMs: result === undefined ? 0 : envMs,
    });
    this.steps.push(step);
    return step;
  }

  /** What follows a step: the end, or the next moment. Nothing is waited for that need not be. */
  #goOn({ action, internal }: Decision, ending: Ending | undefined): Promise<void> | undefined {
    if (ending !== undefined) return this.#end(ending);
    return this.#full ? this.stop("context", this.full()) : this.#read(action, internal?.observation);
  }

  /** Lets the mind read what the world shows now, and keeps the world for later branches where that was asked for. */
  #read(action: string | undefined, instead?: string): Promise<void> | undefined {
    const { world, state, admissible } = this;
    if (world === undefined) return undefined;
    const request = (): Episode["request"] => world.request;
    const moment = { step: this.depth, observation: instead ?? world.observation, action, admissible, request };
    const guidance = this.steps.length === 0 ? state.guidance : undefined;
    this.mind.read(guidance === undefined ? moment : { ...moment, guidance });
    return state.bookmarks ? this.#keepWorld(world) : undefined;
  }

  async #keepWorld(world: Episode): Promise<void> {
    const { depth } = this;
    (this.bookmarks ??= new Map()).set(depth, await copyWorld(this, world));
  }

  /** Its tokens count, though no step came of them. */
  async #refuse(decision: Decision, why: Refusal): Promise<undefined> {
    this.steps.push(unfinishedStep(this.depth, this, decision));
    await this.stop(why);
  }

  async #fail(error: unknown): Promise<void> {
    this.failure = storedError(error);
    await this.#end("failed");
  }

  async #end(ending: Ending): Promise<void> {
    if (this.ending !== undefined) return;
    const { runtime, world, task } = this;
    if (world?.reward.kind === "scored" && !Number.isFinite(world.reward.value) && ending !== "failed") {
      const message = `The world of task "${task.id}" cannot be used: the episode's reward is ${world.reward.value}, not a finite number.`;
      return await this.#fail(new EngineError("bad-world", message, { details: { task: task.id } }));
    }
    this.#keepUnfinished();
    this.ending = ending;
    this.streams = this.mind.streams();
    if (ending === "failed") this.failure ??= world?.failure ?? { code: "world-lost", message: "The world was lost." };
    this.tally.durationMs = runtime.now() - this.startedMs;
    const isJudged = this.reward.kind === "scored" || (ending !== "failed" && this.stopped === undefined);
    if (runtime.judge !== undefined && isJudged && !runtime.signal.aborted) {
      const finished = { task, trajectory: this.trajectory(), steps: this.episode };
      this.judgement = await judgeFinished(runtime.judge, finished, this.purse, runtime.signal);
    }
    this.mind.close();
    this.calls.release();
    await closeWorld(world);
    this.state.home.ended(this);
  }

  /** An answer that was begun and never carried out is kept as a step that did nothing, so that no sampled token is lost. */
  #keepUnfinished(): void {
    if (this.mind.said === 0 || this.world === undefined) return;
    const decision = this.mind.decide();
    if (decision.span !== undefined && decision.span.start === decision.span.end) return;
    this.steps.push(unfinishedStep(this.depth, this, decision));
  }

  /** One thing at a time, behind the gate. False when the walk is over, or is over now because its time is up. */
  #enter(): boolean | Promise<boolean> {
    const { gate, signal } = this.runtime;
    throwIfAborted(signal);
    if (this.#busy) throw new EngineError("walk-busy", `Walk "${this.id}" is at work; wait for it.`);
    if (this.ending !== undefined) return false;
    this.#busy = true;
    const turn = gate.enter(this.state.order);
    if (turn !== undefined) return turn.then(() => this.#inTime());
    return this.#inTime();
  }

  #inTime(): boolean | Promise<boolean> {
    const { signal, limits, now } = this.runtime;
    const isLate = limits.seconds !== Infinity && now() - this.startedMs >= limits.seconds * 1_000;
    if (!signal.aborted && !isLate) return true;
    this.#leave();
    throwIfAborted(signal);
    return this.stop("time").then(() => false);
  }

  #leave(): void {
    this.#busy = false;
    this.runtime.gate.leave();
  }

  /** Failures end the walk; cancellation and misuse reject. */
  async #caught(error: unknown): Promise<undefined> {
    throwIfAborted(this.signal);
    if (errorCode(error) === "past-context") await this.stop("context", { because: storedError(error).message });
    else await this.#fail(error);
  }
}
