/** The lines of a draft, and their steps as trajectories have them. */
import { withoutUndefined } from "../../base/index.ts";
import { unscored, type JsonObject, type Message, type Step, type Usage } from "../../trajectory/index.ts";
import { chatStep } from "../../store/formats/chat-steps.ts";
import { NO_OUTCOME } from "../../store/formats/recorded-trajectory.ts";

export interface DraftStep {
  readonly messages: Message[];
  reply: Message;
  readonly key: string | undefined;
  usage: Usage | undefined;
  readonly from: string | undefined;
  at: string | undefined;
  model: string | undefined;
  info: JsonObject;
}

/** One way from the beginning; the first is the session, others left it somewhere. */
export interface Line {
  readonly id: string;
  readonly parent: { readonly line: Line; readonly step: number } | undefined;
  readonly first: number;
  readonly steps: DraftStep[];
  fresh: Message[];
  /** A person has spoken since the last reply. */
  asked: boolean;
  tip: string | undefined;
  events: JsonObject[];
  compaction: JsonObject | undefined;
}

export function toStep(step: DraftStep, index: number, usual: string | undefined): Step {
  const plain = chatStep(index, step.messages, step.reply, unscored(NO_OUTCOME));
  const other = step.model !== undefined && usual !== undefined && step.model !== usual ? { model: step.model } : {};
  const info = { ...step.info, ...other };
  return {
    ...plain,
    ...withoutUndefined({ usage: step.usage }),
    ...timingOf(step.from, step.at),
    ...(Object.keys(info).length === 0 ? {} : { info }),
  };
}

export function timingOf(from: string | undefined, to: string | undefined): Pick<Step, "timing"> {
  if (from === undefined) return {};
  const durationMs = to === undefined ? 0 : Date.parse(to) - Date.parse(from);
  return { timing: { startedAt: from, ...(durationMs > 0 ? { durationMs } : {}) } };
}

/** Calls that nothing answered; at the end of a session they say that it was cut off. */
export function unanswered(line: Line): string[] {
  const messages = [...line.steps.flatMap((step) => step.messages), ...line.fresh];
  const answered = new Set(messages.flatMap((message) => message.toolCallId ?? []));
  return line.steps
    .flatMap(({ reply }) => (reply.toolCalls ?? []).map((call) => call.id))
    .filter((id) => !answered.has(id));
}
