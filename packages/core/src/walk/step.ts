/** One step: an action carried out in the world, tried again when the world is lost, and recorded. */
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { turnDue } from "limbeck-base/base/turns";
import type { Mutable } from "limbeck-base/base/fields";
import type { Episode, StepResult } from "../env/env.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Json, JsonObject } from "limbeck-base/base/json";
import type { Step } from "limbeck-base/trajectory/trajectory";
import type { Decision } from "./mind/agent.ts";
import { checkResult, isIrreversible, worldError } from "../env/world-faults.ts";
import { closeWorld, isInternal, isWorthAnother, replayWorld, worldSteps, type WorldSource } from "./worlds.ts";

/** Where a step is taken. */
export interface Footing extends WorldSource {
  /** Another one after the world was lost and made again. */
  world: Episode | undefined;
  /** Steps of the episode so far, from the opening. */
  readonly episode: readonly Step[];
  /** Nothing is carried out that no later action takes back. */
  readonly guarded: boolean;
  /** Pays environment steps; false when they are not all there. */
  pay(steps: number): boolean | Promise<boolean>;
}

/** What a world shows. */
export type SeenState = Pick<Episode, "observation" | "stateKey">;

/** Why an action was not carried out: it cannot be paid, or not be taken back. */
export type Refusal = "budget" | "irreversible";

/**
 * Sends an action to the world, which shows `seen`. A lost world is opened anew, its past replayed and compared, and the action tried again;
 * all of it costs environment steps. It throws when that comes to nothing. Nothing is waited for that need not be: every
 * further promise is a turn behind all other walks, with nothing left in the caches.
 */
export async function carryOut(at: Footing, action: string, seen: SeenState): Promise<StepResult | Refusal> {
  const { task, world: first } = at;
  if (first === undefined) throw new EngineError("world-lost", `The world of task "${task.id}" was lost.`);
  // Scripts and tables answer without ever waiting.
  const turn = turnDue();
  if (turn !== undefined) await turn;
  const final = isIrreversible(first, action);
  const isFinal = typeof final === "boolean" ? final : await final;
  if (isFinal && at.guarded) return "irreversible";
  const paid = at.pay(1);
  if (!(typeof paid === "boolean" ? paid : await paid)) return "budget";
  for (let round = 1; ; round += 1) {
    try {
      const world = at.world ?? (await makeAgain(at, seen));
      const result = await at.calls.world((given) => world.step(action, given));
      checkResult(task, result);
      if (result.ending !== "failed" || round >= at.attempts) {
        // What was refused has done nothing.
        return isFinal && result.valid ? { ...result, info: { ...result.info, irreversible: true } } : result;
      }
    } catch (error) {
      throwIfAborted(at.signal);
      if (!isWorthAnother(at, error, round)) throw worldError(task, "step", error);
    }
    const lost = at.world;
    at.world = undefined;
    await closeWorld(lost);
  }
}

/** The world before the action, once more. */
async function makeAgain(at: Footing, seen: SeenState): Promise<Episode> {
  const { episode } = at;
  if (!(await at.pay(worldSteps(episode) + 1))) {
    throw new EngineError("budget", "No environment steps are left to replay a lost world.");
  }
  const world = await replayWorld(at, episode, seen);
  at.world = world;
  return world;
}

/**
 * A decision as it is meant for the world. An agent that only ever tends to its own context would never end: after two
 * such answers the third goes to the world, as an action that it refuses.
 */
export function outward(decision: Decision, episode: readonly Step[]): Decision {
  const isBusyWithItself = episode.length >= 2 && episode.slice(-2).every(isInternal);
  if (decision.internal === undefined || !isBusyWithItself) return decision;
  const { internal: _internal, ...outwards } = decision;
  return { ...outwards, action: "", readable: false };
}

/** What a step is recorded from. */
export interface Taken {
  readonly index: number;
  /** What the agent saw when it decided. */
  readonly seen: SeenState;
  readonly decision: Decision;
  /** Undefined where the answer was for the agent itself. */
  readonly result: Pick<StepResult, "valid" | "reward" | "info"> | undefined;
  readonly policyMs: number;
  readonly envMs: number;
}

/** Every step of every episode passes here: plain assignments, as conditional spreads cost more than the rest of the loop. */
export function recordStep({ index, seen, decision, result, policyMs, envMs }: Taken): Step {
  const step = decidedStep(index, seen, decision);
  step.valid = decision.readable && (result?.valid ?? true);
  step.reward = result?.reward ?? scored(0);
  step.timing = { policyMs, envMs };
  const info = stepInfo(decision, result?.info);
  if (info !== undefined && Object.keys(info).length > 0) step.info = info;
  return step;
}

/** A decision that was never carried out: a step that did nothing, so that no sampled token is lost. */
export function unfinishedStep(index: number, seen: SeenState, decision: Decision): Step {
  const step = decidedStep(index, seen, decision);
  step.info = { ...decision.info, unfinished: true };
  return step;
}

function decidedStep(index: number, { observation, stateKey }: SeenState, decision: Decision): Mutable<Step> {
  const { action, span, prompt, basePrompt, messages, reply, usage } = decision;
  const step: Mutable<Step> = { index, observation, stateKey, action, valid: false, reward: NEVER };
  if (span !== undefined) step.span = span;
  if (prompt !== undefined) step.prompt = prompt;
  if (basePrompt !== undefined) step.basePrompt = basePrompt;
  if (messages !== undefined) step.messages = messages;
  if (reply !== undefined) step.reply = reply;
  if (usage !== undefined) step.usage = usage;
  return step;
}

const NEVER = unscored("never carried out");

function stepInfo({ internal, info: own }: Decision, told: JsonObject | undefined): JsonObject | undefined {
  if (internal === undefined && own === undefined) return told;
  const info: Record<string, Json> = { ...told, ...own };
  if (internal !== undefined) info["internal"] = true;
  return info;
}
