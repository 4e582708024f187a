/** Facts of a trajectory that stand in the attributes and events of spans: scores, the task, usage, times. */
import { isObject } from "limbeck-base/base/json";
import { unscored } from "limbeck-base/trajectory/score";
import type { Message, Reward, Score, Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { closingOf } from "./chat-steps.ts";
import { contentHash } from "./identity.ts";
import { readOtelMessages } from "./otel-messages.ts";
import { numberAttribute, decode, textAttribute, type Attributes, type Span } from "./otlp.ts";

const EVALUATION = "gen_ai.evaluation.result";

export function readEvaluations(span: Span): { readonly total: boolean; readonly reward: Reward }[] {
  return span.events.flatMap(({ name, attributes }) => {
    const title = textAttribute(attributes, "gen_ai.evaluation.name");
    if (name !== EVALUATION || title === undefined || title === "") return [];
    const explanation = textAttribute(attributes, "gen_ai.evaluation.explanation");
    const tokens = decode(attributes["limbeck.reward.tokens"]);
    const reward: Reward = {
      name: title,
      source: textAttribute(attributes, "limbeck.reward.source") || "opentelemetry",
      score: readScore(attributes),
      ...(isObject(tokens) ? { tokens: { start: Number(tokens["start"]), end: Number(tokens["end"]) } } : {}),
      ...(explanation === undefined ? {} : { comment: explanation }),
    };
    return [{ total: title === "reward" && attributes["limbeck.reward.named"] !== true, reward }];
  });
}

function readScore(attributes: Attributes): Score {
  const value = numberAttribute(attributes, "gen_ai.evaluation.score.value");
  if (value !== undefined) return { kind: "scored", value };
  const label = textAttribute(attributes, "gen_ai.evaluation.score.label");
  const why =
    textAttribute(attributes, "limbeck.unscored.why") ?? (label === undefined ? "no score value" : `label ${label}`);
  return unscored(why);
}

/** The name of a task that the spans do not name. */
export function otelTaskId(goal: string): string {
  return `otel-${contentHash(goal)}`;
}

export function readTask(facts: Attributes, opening: string): Task {
  const goal = textAttribute(facts, "limbeck.task.goal") ?? opening;
  const data = decode(facts["limbeck.task.data"]);
  return {
    id: textAttribute(facts, "limbeck.task.id") || otelTaskId(goal),
    env: textAttribute(facts, "limbeck.task.env") || "otel",
    seed: numberAttribute(facts, "limbeck.task.seed") ?? 0,
    goal,
    split: textAttribute(facts, "limbeck.task.split") || "train",
    ...(isObject(data) ? { data } : {}),
  };
}

export function readParent(facts: Attributes): Pick<Trajectory, "parent"> {
  const trajectory = textAttribute(facts, "limbeck.parent.trajectory");
  const step = numberAttribute(facts, "limbeck.parent.step");
  const token = numberAttribute(facts, "limbeck.parent.token");
  if (trajectory === undefined || step === undefined) return {};
  return { parent: { trajectory, step, ...(token === undefined ? {} : { token }) } };
}

export function readClosing(facts: Attributes, after: readonly Message[]): Pick<Trajectory, "closing"> {
  const observation = textAttribute(facts, "limbeck.closing.observation");
  const messages = facts["limbeck.closing.messages"];
  if (observation === undefined) return facts["limbeck.trajectory.id"] === undefined ? closingOf(after) : {};
  return {
    closing: { observation, ...(messages === undefined ? {} : { messages: readOtelMessages(decode(messages)) }) },
  };
}

export function readUsage(facts: Attributes): Trajectory["usage"] {
  const names = {
    promptTokens: "gen_ai.usage.input_tokens",
    completionTokens: "gen_ai.usage.output_tokens",
    cachedTokens: "gen_ai.usage.cache_read.input_tokens",
  };
  const found = Object.entries(names).flatMap(([field, key]): [string, number][] => {
    const value = numberAttribute(facts, key);
    return value === undefined || !Number.isInteger(value) || value < 0 ? [] : [[field, value]];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** Nothing is known of a span at time 0. Nanoseconds are written where milliseconds would lose them. */
export function readTiming({ start, end }: Span): Pick<Trajectory, "timing"> {
  if (start === 0n || start > 253_402_300_799_000_000_000n) return {};
  const whole = new Date(Number(start / 1_000_000n)).toISOString();
  const rest = start % 1_000_000n;
  const startedAt = rest === 0n ? whole : `${whole.slice(0, -1)}${String(rest).padStart(6, "0")}Z`;
  return { timing: { startedAt, ...(end > start ? { durationMs: Number(end - start) / 1e6 } : {}) } };
}
