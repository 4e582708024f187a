/** A walk at work. Whatever happens on the way, it ends in one trajectory. */
import { EngineError, errorCode, throwIfAborted, type PlainError } from "../../base/index.ts";
import type { Episode } from "../../env/env.ts";
import {
  trajectoryToJson,
  unscored,
  type Ending,
  type JsonObject,
  type Score,
  type Step,
  type Trajectory,
} from "../../trajectory/index.ts";
import type { Purse } from "../purse.ts";
import type { Answer, BranchPoint, Mind } from "../mind/agent.ts";
import { branchWalk, forkWalk } from "./branch-walk.ts";
import type { Judgement } from "../judge.ts";
import { envLimit } from "./open-world.ts";
import type { LiveWalk, Runtime, WalkState } from "./runtime.ts";
import { endWalk, failWalk, stopWalk } from "./walk-end.ts";
import { carryOut, hasToSay, keepWorld, readOn, say } from "./walk-step.ts";
import type { CallLimit } from "../watchdog.ts";
import { walkTrajectory } from "./walk-trajectory.ts";
import type { ForkStart, Suspended, Walk } from "./walk.ts";

/** Takes the walk into the forest and lets it read its opening. */
export async function startWalk(runtime: Runtime, state: WalkState, from?: LiveWalk): Promise<LiveWalk> {
  const walk = new WalkAtWork(runtime, state);
  state.home.enrol(walk, from);
  const { world } = state;
  try {
    if (world === undefined) await failWalk(walk, state.failure);
    else if (world.ending !== undefined) await endWalk(walk, world.ending);
    else {
      const reading = state.hasRead ? undefined : readOn(walk, walk.steps.at(-1)?.action);
      if (reading !== undefined) await reading;
      if (state.hasRead && state.bookmarks) await keepWorld(walk, world);
    }
  } catch (error) {
    await failWalk(walk, error);
  }
  return walk;
}

const afterOne = (): boolean => true;
const never = (): boolean => false;

async function closeAll(worlds: readonly Episode[]): Promise<void> {
  await Promise.all(worlds.map((world) => world.close().catch(() => undefined)));
}

class WalkAtWork implements LiveWalk {
  readonly runtime: Runtime;
  readonly state: WalkState;
  readonly mind: Mind;
  world: Episode | undefined;
  bookmarks: Map<number, Episode> | undefined;
  readonly steps: Step[];
  readonly startedAt: string;
  readonly startedMs: number;
  readonly policyLimit: CallLimit;
  readonly envLimit: CallLimit;
  readonly listActions: () => readonly string[] | undefined;
  purse: Purse;
  tokens: number;
  calls = 0;
  policyMs = 0;
  envMs = 0;
  durationMs = 0;
  answerMs = 0;
  answered = false;
  full = false;
  info: JsonObject;
  ending: Ending | undefined;
  stopped: string | undefined;
  scoredStop = false;
  failure: PlainError | undefined;
  judgement: Judgement | undefined;
  suspended = false;
  #busy = false;

  constructor(runtime: Runtime, state: WalkState) {
    this.runtime = runtime;
    this.state = state;
    this.mind = state.mind;
    this.world = state.world;
    this.steps = [...state.own];
    this.purse = state.purse;
    this.tokens = state.tokens;
    this.info = state.info;
    const { limits, agent } = runtime;
    this.policyLimit = {
      ms: limits.policySeconds * 1_000,
      code: "policy-timeout",
      what: () => `Policy "${agent.ref.name}"`,
    };
    this.envLimit = envLimit(runtime, state.task);
    this.listActions = () => this.world?.admissible();
    this.startedAt = runtime.date();
    this.startedMs = runtime.now();
  }

  get id(): string {
    return this.state.id;
  }
  get task(): LiveWalk["task"] {
    return this.state.task;
  }
  get group(): string {
    return this.state.group;
  }
  get parent(): LiveWalk["parent"] {
    return this.state.parent;
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
    if (this.stopped !== undefined && !this.scoredStop) return unscored(`stopped: ${this.stopped}`);
    return this.world?.reward ?? unscored("never opened");
  }
  get success(): boolean | null {
    if (this.failure !== undefined || (this.stopped !== undefined && !this.scoredStop)) return null;
    if (this.judgement?.success !== undefined) return this.judgement.success;
    const success = this.world?.success ?? null;
    // An episode that ran out of what it was given did not reach its goal in time.
    return success === null && this.stopped !== undefined ? false : success;
  }

  admissible(): readonly string[] | undefined {
    return this.ending === undefined ? this.world?.admissible() : undefined;
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
    return walkTrajectory(this);
  }

  async speak(maxTokens: number): Promise<boolean> {
    if (!(Number.isInteger(maxTokens) && maxTokens >= 1)) {
      throw new EngineError("bad-option", `speak(${maxTokens}): say at least 1 token, a whole number.`);
    }
    if (!(await this.#enter())) return true;
    try {
      return (await say(this, maxTokens)) ?? true;
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

  async impose(action: string, source: string): Promise<Step | undefined> {
    if (this.mind.said > 0) {
      throw new EngineError("walk-busy", `Walk "${this.id}" has begun an answer; impose an action before it speaks.`);
    }
    if (!(await this.#enter())) return undefined;
    try {
      if (this.purse.left("envSteps") < 1) return await stopWalk(this, "budget");
      this.mind.impose(action);
      const decision = this.mind.decide();
      return await carryOut(this, { ...decision, info: { ...decision.info, source } });
    } catch (error) {
      return await this.#caught(error);
    } finally {
      this.#leave();
    }
  }

  async advance(until: (walk: Walk) => boolean = never): Promise<void> {
    if (this.ending === undefined) await this.#walkOn(until);
  }

  /** Steps until the condition holds after one; the last step. Undefined when the walk ended without a further one. */
  async #walkOn(until: (walk: Walk) => boolean): Promise<Step | undefined> {
    for (;;) {
      const inside = this.#enter();
      if (!(typeof inside === "boolean" ? inside : await inside)) return undefined;
      let step: Step | undefined;
      try {
        if (this.purse.left("envSteps") < 1) return await stopWalk(this, "budget");
        if (hasToSay(this) && (await say(this, Infinity)) !== true) return undefined;
        step = await carryOut(this, this.mind.decide());
      } catch (error) {
        return await this.#caught(error);
      } finally {
        this.#leave();
      }
      if (step === undefined || until(this) || this.ending !== undefined) return step;
    }
  }

  fork(label: string | number, start: ForkStart = {}): Promise<Walk | undefined> {
    return forkWalk(this, String(label), start);
  }

  branchAt(point: BranchPoint, label: string | number, start: ForkStart = {}): Promise<Walk | undefined> {
    return branchWalk(this, point, String(label), start);
  }

  async stop(why: string, { scored = false }: { readonly scored?: boolean } = {}): Promise<void> {
    if (this.ending !== undefined) return;
    this.scoredStop = scored;
    await stopWalk(this, why);
  }

  async suspend(): Promise<Suspended> {
    if (this.parent !== undefined) {
      throw new EngineError("cannot-suspend", `Walk "${this.id}" is a branch; only walks without parent can be kept.`);
    }
    const over = this.ending !== undefined;
    this.suspended = true;
    if (!over) await stopWalk(this, "suspended");
    return { trajectory: trajectoryToJson(this.trajectory()), label: this.state.label, over };
  }

  dispose(): Promise<void> | undefined {
    const kept = this.bookmarks;
    this.bookmarks = undefined;
    return kept === undefined ? undefined : closeAll([...kept.values()]);
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
    return stopWalk(this, "time").then(() => false);
  }

  #leave(): void {
    this.#busy = false;
    this.runtime.gate.leave();
  }

  /** Failures end the walk; cancellation and misuse reject. */
  async #caught(error: unknown): Promise<undefined> {
    throwIfAborted(this.runtime.signal);
    if (errorCode(error) === "past-context") await stopWalk(this, "context");
    else await failWalk(this, error);
  }
}
