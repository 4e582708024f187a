/** One step of a walk: say the answer within its limits, carry it out, record it. */
import type { StepResult } from "../env/index.ts";
import { scored, type Json, type JsonObject, type Step } from "../trajectory/index.ts";
import type { Decision } from "./agent.ts";
import type { LiveWalk } from "./runtime.ts";
import { stepWorld } from "./step-world.ts";
import { recordedDecision, unfinishedStep, type Before } from "./recorded-decision.ts";
import { endWalk, stopWalk } from "./walk-end.ts";

/** Says up to so many tokens of the answer; true when it is complete. Undefined when the walk had to be stopped. */
export async function say(walk: LiveWalk, maxTokens: number): Promise<boolean | undefined> {
  if (walk.answered) return true;
  const { agent, limits, now } = walk.runtime;
  const silent = agent.answerTokens === 0;
  const wanted = silent ? 0 : Math.min(maxTokens, Math.max(agent.answerTokens - walk.mind.said, 1));
  const inEpisode = Math.min(wanted, limits.tokens - walk.tokens);
  if (!silent && inEpisode < 1) return await stopWalk(walk, "tokens");
  const granted = walk.purse.reserve("sampledTokens", inEpisode);
  const call = walk.purse.reserve("modelCalls", silent ? 0 : 1);
  const admissible = walk.listActions;
  const started = now();
  let used = { tokens: 0, modelCalls: 0, ended: false, full: false };
  try {
    if (silent) used = await walk.mind.speak({ maxTokens: 0, signal: walk.runtime.signal, admissible });
    else if (granted >= 1 && call >= 1) {
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

/** Sends the decision to the world and records the step. */
export async function carryOut(walk: LiveWalk, decision: Decision): Promise<Step | undefined> {
  const { now } = walk.runtime;
  const { world } = walk;
  if (world === undefined) return undefined;
  const observation = world.observation;
  const stateKey = world.stateKey;
  const { internal, ...outward } = decision;
  if (internal !== undefined) {
    if (!busyWithItself(walk)) return await finishStep(walk, decision, { observation, stateKey }, undefined, 0);
    return await carryOut(walk, { ...outward, action: "", readable: false });
  }
  let result: StepResult;
  const started = now();
  try {
    result = await stepWorld(walk, decision.action);
  } catch (error) {
    // What was said stays said, though nothing came of it.
    walk.steps.push(unfinishedStep(walk, decision, { observation, stateKey }));
    throw error;
  }
  return await finishStep(walk, decision, { observation, stateKey }, result, now() - started);
}

async function finishStep(
  walk: LiveWalk,
  decision: Decision,
  before: Before,
  result: StepResult | undefined,
  envMs: number,
): Promise<Step> {
  const policyMs = walk.answerMs;
  walk.answerMs = 0;
  walk.answered = false;
  walk.policyMs += policyMs;
  walk.envMs += envMs;
  const step: Step = {
    ...recordedDecision(walk, decision, before),
    valid: decision.readable && (result?.valid ?? true),
    reward: result?.reward ?? scored(0),
    timing: { policyMs, envMs },
    ...stepInfo(decision, result),
  };
  walk.steps.push(step);
  if (result?.ending !== undefined) await endWalk(walk, result.ending);
  else if (walk.full) await stopWalk(walk, "context");
  else await readOn(walk, decision.action, decision.internal?.observation);
  return step;
}

function stepInfo(decision: Decision, result: StepResult | undefined): { readonly info?: JsonObject } {
  const info: Record<string, Json> = { ...result?.info, ...decision.info };
  if (decision.internal !== undefined) info["internal"] = true;
  return Object.keys(info).length === 0 ? {} : { info };
}

/** Lets the mind read what the world shows now, and keeps the world for later branches where that was asked for. */
export async function readOn(walk: LiveWalk, action: string | undefined, instead?: string): Promise<void> {
  const { world, state } = walk;
  if (world === undefined) return;
  const first = walk.steps.length === 0 && state.guidance !== undefined;
  walk.mind.read({
    step: walk.depth,
    observation: instead ?? world.observation,
    action,
    admissible: walk.listActions,
    ...(first ? { guidance: state.guidance } : {}),
  });
  if (state.bookmarks) walk.bookmarks.set(walk.depth, await world.fork());
}

/** An agent that only ever tends to its own context would never end: after two such calls the third goes to the world. */
function busyWithItself({ episode }: LiveWalk): boolean {
  return episode.length >= 2 && episode.slice(-2).every(({ info }) => info?.["internal"] === true);
}
