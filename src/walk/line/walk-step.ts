/** One step of a walk: say the answer within its limits, carry it out, record it. */
import { checkResult } from "../../env/check-result.ts";
import type { Episode, StepResult } from "../../env/env.ts";
import { scored, type Ending, type Json, type JsonObject, type Step } from "../../trajectory/index.ts";
import type { Decision } from "../mind/agent.ts";
import type { LiveWalk } from "./runtime.ts";
import { askWorld, tryAgain, type Attempt } from "./step-world.ts";
import { recordedDecision, unfinishedStep, type Before } from "./recorded-decision.ts";
import { endWalk, stopWalk } from "./walk-end.ts";

/** Whether there is something to say before the walk can go on. */
export function hasToSay({ answered, runtime }: LiveWalk): boolean {
  return !answered && runtime.agent.answerTokens > 0;
}

/** Says up to so many tokens of the answer; true when it is complete. Undefined when the walk had to be stopped. */
export async function say(walk: LiveWalk, maxTokens: number): Promise<boolean | undefined> {
  if (!hasToSay(walk)) return true;
  const { agent, limits, now } = walk.runtime;
  const wanted = Math.min(maxTokens, Math.max(agent.answerTokens - walk.mind.said, 1));
  const inEpisode = Math.min(wanted, limits.tokens - walk.tokens);
  if (inEpisode < 1) return await stopWalk(walk, "tokens");
  const granted = walk.purse.reserve("sampledTokens", inEpisode);
  const call = walk.purse.reserve("modelCalls", 1);
  const admissible = walk.listActions;
  const started = now();
  let used = { tokens: 0, modelCalls: 0, ended: false, full: false };
  try {
    if (granted >= 1 && call >= 1) {
      const { leash } = walk.state;
      const speaking = walk.mind.speak({ maxTokens: granted, signal: leash.signal, admissible });
      used = await leash.wait(speaking, walk.policyLimit);
    }
  } finally {
    walk.answerMs += now() - started;
    walk.tokens += used.tokens;
    walk.calls += used.modelCalls;
    walk.purse.settle("sampledTokens", granted, used.tokens);
    walk.purse.settle("modelCalls", call, used.modelCalls);
  }
  walk.full ||= used.full;
  walk.answered = used.ended;
  if (used.ended) return true;
  const short = granted < wanted || call < 1;
  if (!short) return false;
  return await stopWalk(walk, granted < inEpisode || call < 1 ? "budget" : "tokens");
}

/**
 * Sends the decision to the world and records the step. The first attempt is made here and not in a function of its own:
 * every further promise that a step waits for is a turn behind all other walks, with nothing left in the caches.
 */
export async function carryOut(walk: LiveWalk, decision: Decision): Promise<Step | undefined> {
  const { now } = walk.runtime;
  const { world } = walk;
  if (world === undefined) return undefined;
  const before = { observation: world.observation, stateKey: world.stateKey };
  if (decision.internal !== undefined) {
    if (!busyWithItself(walk)) return goOn(walk, decision, recordStep(walk, decision, before, undefined, 0));
    const { internal: _internal, ...outward } = decision;
    return await carryOut(walk, { ...outward, action: "", readable: false });
  }
  const final = world.irreversible?.(decision.action) === true;
  let result: StepResult;
  const started = now();
  try {
    const asked = askWorld(walk, decision.action);
    let attempt: Attempt;
    try {
      const answer = await asked;
      checkResult(walk.task, answer);
      attempt = { result: answer };
    } catch (error) {
      attempt = { error };
    } finally {
      walk.purse.settle("envSteps", 1, 1);
    }
    result =
      "result" in attempt && attempt.result.ending !== "failed"
        ? attempt.result
        : await tryAgain(walk, decision.action, before.observation, attempt);
  } catch (error) {
    // What was said stays said, though nothing came of it.
    walk.steps.push(unfinishedStep(walk, decision, before));
    throw error;
  }
  const told = final && result.valid ? { ...result, info: { irreversible: true, ...result.info } } : result;
  const step = recordStep(walk, decision, before, told, now() - started);
  return goOn(walk, decision, step, result.ending);
}

function recordStep(
  walk: LiveWalk,
  decision: Decision,
  before: Before,
  result: StepResult | undefined,
  envMs: number,
): Step {
  const policyMs = walk.answerMs;
  walk.answerMs = 0;
  walk.answered = false;
  walk.policyMs += policyMs;
  walk.envMs += envMs;
  const step = recordedDecision(walk, decision, before);
  step.valid = decision.readable && (result?.valid ?? true);
  step.reward = result?.reward ?? scored(0);
  step.timing = { policyMs, envMs };
  const info = stepInfo(decision, result);
  if (info !== undefined) step.info = info;
  walk.steps.push(step as Step);
  return step as Step;
}

/** What follows a step: the end, or the next moment. Nothing is waited for that need not be. */
function goOn(walk: LiveWalk, decision: Decision, step: Step, ending?: Ending): Step | Promise<Step> {
  const following =
    ending !== undefined
      ? endWalk(walk, ending)
      : walk.full
        ? stopWalk(walk, "context")
        : readOn(walk, decision.action, decision.internal?.observation);
  return following === undefined ? step : following.then(() => step);
}

function stepInfo(decision: Decision, result: StepResult | undefined): JsonObject | undefined {
  if (decision.internal === undefined && decision.info === undefined) return filled(result?.info);
  const info: Record<string, Json> = { ...result?.info, ...decision.info };
  if (decision.internal !== undefined) info["internal"] = true;
  return filled(info);
}

function filled(info: JsonObject | undefined): JsonObject | undefined {
  return info === undefined || Object.keys(info).length === 0 ? undefined : info;
}

/** Lets the mind read what the world shows now, and keeps the world for later branches where that was asked for. */
export function readOn(walk: LiveWalk, action: string | undefined, instead?: string): Promise<void> | undefined {
  const { world, state } = walk;
  if (world === undefined) return undefined;
  const moment = { step: walk.depth, observation: instead ?? world.observation, action, admissible: walk.listActions };
  const guidance = walk.steps.length === 0 ? state.guidance : undefined;
  walk.mind.read(guidance === undefined ? moment : { ...moment, guidance });
  return state.bookmarks ? keepWorld(walk, world) : undefined;
}

/** Keeps a copy of the world at this moment. */
export async function keepWorld(walk: LiveWalk, world: Episode): Promise<void> {
  const { depth } = walk;
  const copy = await world.fork();
  (walk.bookmarks ??= new Map()).set(depth, copy);
}

/** An agent that only ever tends to its own context would never end: after two such calls the third goes to the world. */
function busyWithItself({ episode }: LiveWalk): boolean {
  return episode.length >= 2 && episode.slice(-2).every(({ info }) => info?.["internal"] === true);
}
