/**
 * Agents that name their call before they have thought (`ActionForm.early`): the world is called while the thoughts are sampled, so that an
 * episode does not wait for both. Responses are the same as if the world were called afterwards.
 */
import type { JsonObject } from "limbeck-base/base/json";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Mind } from "../mind/agent.ts";
import type { Purse } from "../purse.ts";
import { carryOut, type Footing, type SeenState } from "../step.ts";
import type { EarlyStep, Overlap, Runtime } from "./runtime.ts";

/** Tokens sampled at a time until an answer has named its call. */
const CALL_TOKENS = 4;

export interface Caller extends Footing {
  readonly mind: Mind;
  readonly purse: Purse;
  /** Sampled tokens of the episode so far. */
  readonly tokens: number;
  readonly runtime: Runtime;
  note(info: JsonObject): void;
}

export interface Calling {
  readonly seen: SeenState;
  /** Says up to so many tokens: true when the answer is complete, undefined when the walk had to be stopped. */
  readonly say: (maxTokens: number) => Promise<boolean | undefined>;
  readonly overlap: Overlap;
}

/** The answer to its end, with the world asked on the way where that can be. Undefined: the walk was stopped. */
export async function answerAndAsk(caller: Caller, calling: Calling): Promise<EarlyStep | undefined> {
  const { mind, runtime } = caller;
  for (;;) {
    const ended = await calling.say(runtime.overlap ? CALL_TOKENS : Infinity);
    if (ended !== false) return ended === undefined ? undefined : {};
    const action = runtime.overlap ? mind.called?.() : undefined;
    if (action !== undefined && canSayTheRest(caller)) return await sayWhileAsking(caller, action, calling);
  }
}

async function sayWhileAsking(caller: Caller, action: string, { seen, say, overlap }: Calling): Promise<EarlyStep> {
  const { now } = caller.runtime;
  const started = now();
  let worldMs = 0;
  const result = carryOut(caller, action, seen).finally(() => (worldMs = now() - started));
  // Nothing ends while the world is at work, whatever becomes of the thoughts.
  const settled = result.catch(() => undefined);
  try {
    while ((await say(Infinity)) === false);
  } finally {
    const saidMs = now() - started;
    await settled;
    overlap.steps += 1;
    overlap.ms += Math.min(saidMs, worldMs);
    caller.note({ overlap: { ...overlap } });
  }
  return { result, worldMs: () => worldMs };
}

/** What the rest of the answer may cost is there: the thoughts cannot be what ends the episode. */
function canSayTheRest({ purse, mind, runtime, tokens }: Caller): boolean {
  const rest = Math.max(runtime.agent.answerTokens - mind.said, 1);
  const enough = (["sampledTokens", "tokens"] as const).every((kind) => purse.left(kind) >= rest);
  const paid = enough && purse.left("modelCalls") >= 1 && purse.left("picodollars") === Infinity;
  return paid && runtime.limits.tokens - tokens >= rest;
}

/** What the episodes of a rollout have saved by it: steps, and milliseconds in which both were at work. */
export function overlapTally(): { add(trajectory: Trajectory): void; metrics(): Record<string, number> } {
  const sum: Overlap = { steps: 0, ms: 0 };
  return {
    add: ({ info }) => {
      const own = info?.["overlap"] as unknown as Overlap | undefined;
      sum.steps += own?.steps ?? 0;
      sum.ms += own?.ms ?? 0;
    },
    metrics: () => (sum.steps === 0 ? {} : { "walk/overlapped": sum.steps, "walk/overlappedMs": sum.ms }),
  };
}
