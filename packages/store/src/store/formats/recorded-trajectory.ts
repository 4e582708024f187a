/** A trajectory from the lines a recorder wrote: every answered call is a step. */
import { withoutUndefined } from "limbeck-base/base/fields";
import { withoutSections } from "limbeck-recorder/selection/section";
import { OUTCOME_REWARDS, withOutcome } from "limbeck-base/trajectory/outcome";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { JsonObject } from "limbeck-base/base/json";
import type { Message, Reward, Step, Trajectory, Usage } from "limbeck-base/trajectory/trajectory";
import { chatStep, closingOf, textOf } from "./chat-steps.ts";
import { contentHash } from "./identity.ts";
import type { Feedback, RecordedCall, RecordedEnd } from "./recorded-lines.ts";

export interface Recording {
  readonly id: string;
  /** In any order; one call may come twice. */
  readonly calls: readonly RecordedCall[];
  readonly end?: RecordedEnd;
  readonly feedback: readonly Feedback[];
  /** Steps of the same trajectory that were stored before under another id; these go on from there. */
  readonly continues?: { readonly trajectory: string; readonly steps: number };
}

export const NO_OUTCOME = "no outcome yet";

export function recordedTrajectory(recording: Recording): Trajectory {
  const calls = inOrder(recording.calls);
  const first = calls[0];
  const offset = recording.continues?.steps ?? 0;
  const { steps, failures } = toSteps(calls, offset);
  const last = calls.at(-1);
  const ending = recording.end?.ending ?? endingOf(last, recording.end !== undefined);
  // A call that failed at the end is why the agent did; what the agent threw repeats it in its own words.
  const failure = (ending === "failed" ? last?.error : undefined) ?? recording.end?.error;
  const task = taskOf(calls, steps);
  const model = calls.find((call) => call.model !== undefined)?.model;
  const tools = calls.findLast((call) => call.tools !== undefined)?.tools;
  const facts = infoOf(calls, failures);
  return withOutcome({
    id: recording.id,
    task,
    group: first?.group ?? task.id,
    ...(recording.continues === undefined
      ? {}
      : { parent: { trajectory: recording.continues.trajectory, step: recording.continues.steps } }),
    steps,
    streams: [],
    ending,
    reward: unscored(NO_OUTCOME),
    success: null,
    rewards: recording.feedback.flatMap(feedbackRewards),
    policy: { name: first?.agent ?? (model || "agent"), ...(model === undefined ? {} : { model }) },
    ...usageOf(steps),
    ...timingOf(calls),
    // What an unanswered last call asked is what the agent saw last.
    ...(last?.reply === undefined ? closingOf(last?.messages ?? []) : {}),
    ...withoutUndefined({ tools, failure }),
    info: { recorder: facts },
  });
}

/** Feedback as named rewards; success and score under the names of the outcome. */
export function feedbackRewards(feedback: Feedback): Reward[] {
  const source = feedback.source ?? "feedback";
  const comment = feedback.comment === undefined ? {} : { comment: feedback.comment };
  const rewards: Reward[] = [
    ...(feedback.success === undefined
      ? []
      : [{ name: OUTCOME_REWARDS.success, source, score: scored(feedback.success ? 1 : 0) }]),
    ...(feedback.score === undefined ? [] : [{ name: OUTCOME_REWARDS.score, source, score: scored(feedback.score) }]),
    ...Object.entries(feedback.rewards ?? {}).map(([name, value]) => ({ name, source, score: scored(value) })),
  ];
  const [only, ...more] = rewards;
  if (only === undefined) {
    return feedback.comment === undefined
      ? []
      : [{ name: "comment", source, score: unscored("only words"), ...comment }];
  }
  return [{ ...only, ...comment }, ...more];
}

function inOrder(calls: readonly RecordedCall[]): RecordedCall[] {
  const unique = [...new Map(calls.map((call) => [call.call, call])).values()];
  return unique.sort((one, other) => (one.startedAt < other.startedAt ? -1 : one.startedAt > other.startedAt ? 1 : 0));
}

interface Failure {
  readonly beforeStep: number;
  readonly call: RecordedCall;
}

function toSteps(calls: readonly RecordedCall[], offset: number): { steps: Step[]; failures: Failure[] } {
  const steps: Step[] = [];
  const failures: Failure[] = [];
  const places = new Map<string, number>();
  for (const call of calls) {
    const index = offset + steps.length;
    if (call.error !== undefined) failures.push({ beforeStep: index, call });
    if (call.reply === undefined) continue;
    places.set(call.call, index);
    const after = call.after === undefined ? undefined : places.get(call.after);
    const thread = after === undefined || after === index - 1 ? {} : { after };
    const step = chatStep(index, call.messages, call.reply, unscored(NO_OUTCOME));
    steps.push({
      ...step,
      ...(call.usage === undefined ? {} : { usage: call.usage }),
      timing: { startedAt: call.startedAt, durationMs: call.durationMs },
      info: {
        recorder: {
          call: call.call,
          ...thread,
          ...withoutUndefined({ skills: call.skills, finish: call.finish, firstChunkMs: call.firstChunkMs }),
          ...(call.partial === true ? { partial: true } : {}),
        },
      },
    });
  }
  return { steps, failures };
}

/** Without a word about its end, an agent whose last reply asked for tools was cut off. */
function endingOf(last: RecordedCall | undefined, ended: boolean): Trajectory["ending"] {
  if (ended) return "terminated";
  if (last?.error !== undefined) return "failed";
  return (last?.reply?.toolCalls ?? []).length > 0 ? "truncated" : "terminated";
}

/** The name of a task without one. */
export function chatTaskId(opening: readonly Message[]): string {
  const system = withoutSections(firstText(opening, "system"));
  return `chat-${contentHash([system, firstText(opening, "user")])}`;
}

function firstText(messages: readonly Message[], role: Message["role"]): string {
  return textOf(messages.find((message) => message.role === role)?.content ?? "");
}

/** Equal openings are equal tasks, with skills or without, under the id that an import of the same chat gives. */
function taskOf(calls: readonly RecordedCall[], steps: readonly Step[]): Trajectory["task"] {
  const given = calls.find((call) => call.task !== undefined)?.task ?? {};
  const opening = steps[0]?.messages ?? calls[0]?.messages ?? [];
  const goal = given.goal ?? firstText(opening, "user");
  return {
    id: given.id ?? chatTaskId(opening),
    env: given.env ?? "chat",
    seed: given.seed ?? 0,
    goal,
    split: given.split ?? "train",
  };
}

/** The sum of what the steps used. */
export function usageOf(steps: readonly Step[]): { readonly usage?: Usage } {
  const used = steps.flatMap((step) => step.usage ?? []);
  if (used.length === 0) return {};
  const sum = (field: keyof Usage): number | undefined =>
    used.some((usage) => usage[field] !== undefined)
      ? used.reduce((total, usage) => total + (usage[field] ?? 0), 0)
      : undefined;
  const fields = ["promptTokens", "completionTokens", "cachedTokens", "costUsd"] as const;
  const sums = fields.flatMap((field): [string, number][] => {
    const total = sum(field);
    return total === undefined ? [] : [[field, total]];
  });
  return { usage: { ...Object.fromEntries(sums), modelCalls: steps.length } };
}

function timingOf(calls: readonly RecordedCall[]): Pick<Trajectory, "timing"> {
  const first = calls[0];
  if (first === undefined) return {};
  const end = Math.max(...calls.map((call) => Date.parse(call.startedAt) + call.durationMs));
  const policyMs = calls.reduce((total, call) => total + call.durationMs, 0);
  return { timing: { startedAt: first.startedAt, durationMs: end - Date.parse(first.startedAt), policyMs } };
}

function infoOf(calls: readonly RecordedCall[], failures: readonly Failure[]): JsonObject {
  const caller = calls.find((call) => call.caller !== undefined)?.caller;
  const provider = calls.find((call) => call.provider !== undefined)?.provider;
  return {
    ...withoutUndefined({ provider, caller }),
    calls: calls.length,
    ...(calls.some((call) => call.skills !== undefined)
      ? { skills: [...new Set(calls.flatMap((call) => call.skills ?? []))] }
      : {}),
    ...(failures.length === 0
      ? {}
      : {
          errors: failures.map(({ beforeStep, call }) => ({
            call: call.call,
            step: beforeStep,
            code: call.error?.code ?? "",
            message: call.error?.message ?? "",
          })),
        }),
  };
}
