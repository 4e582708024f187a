/** What a policy would do at a place: the probability of each admissible action, and what it would say first. */
import { EngineError } from "limbeck-base/base/errors";
import type { Advice } from "../api/play.ts";
import type { Moment } from "./games.ts";
import type { OpenedModel } from "./model-shelf.ts";

/** The longest answer that a bundled model was made for. */
const ANSWER_TOKENS = 96;

export async function adviceOf(
  { model, dialect }: OpenedModel,
  policy: string,
  moments: readonly Moment[],
  admissible: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<Advice> {
  const context = contextOf(dialect, moments);
  const replies = (admissible ?? []).map((action) => ({ action, ids: dialect.reply(action) }));
  const longest = Math.max(0, ...replies.map(({ ids }) => ids.length));
  // A model with little room answers in what is left of it.
  const room = Math.min(ANSWER_TOKENS, model.config.contextLength - context.length);
  if (room < 1 || context.length + longest > model.config.contextLength) {
    throw new EngineError(
      "too-large",
      `The way here has ${context.length} tokens; the policy reads ${model.config.contextLength}. Go back some steps.`,
    );
  }
  const rows = replies.map(({ ids }) => ({
    ids: Int32Array.from([...context, ...ids]),
    mask: Uint8Array.from({ length: context.length + ids.length }, (_, at) => (at < context.length ? 0 : 1)),
  }));
  const scored = rows.length === 0 ? [] : await model.score(rows, { statistics: ["logprob"], signal });
  const logprobs = scored.map(({ logprob = new Float32Array() }) => logprob.reduce((total, value) => total + value, 0));
  const covered = logprobs.reduce((total, value) => total + Math.exp(value), 0);
  const most = Math.max(...logprobs);
  const relative = logprobs.map((value) => Math.exp(value - most));
  const all = relative.reduce((total, value) => total + value, 0);
  const actions = replies.map(({ action }, at) => ({
    action,
    probability: (relative[at] ?? 0) / all,
    logprob: logprobs[at] ?? 0,
  }));
  return {
    policy,
    actions: actions.sort((left, right) => right.logprob - left.logprob),
    covered: Math.min(1, covered),
    greedy: await greedyOf({ model, dialect }, context, room, signal),
  };
}

async function greedyOf(
  { model, dialect }: OpenedModel,
  context: Int32Array,
  maxTokens: number,
  signal: AbortSignal,
): Promise<string> {
  const conversation = model.open({ seed: "advice" });
  try {
    conversation.extend(context);
    const response = await conversation.sample({ maxTokens, temperature: 0, stop: dialect.stop, signal });
    return dialect.answer(response.ids);
  } finally {
    conversation.close();
  }
}

/** An append-only conversation, as the agents of trainings have it. */
function contextOf(dialect: OpenedModel["dialect"], moments: readonly Moment[]): Int32Array {
  const pieces = moments.flatMap(({ observation, action }, at) => [
    at === 0 ? dialect.opening(observation) : dialect.turn(observation),
    ...(action === undefined ? [] : [dialect.reply(action)]),
  ]);
  return Int32Array.from(pieces.flatMap((piece) => [...piece]));
}
