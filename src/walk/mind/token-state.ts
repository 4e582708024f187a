/** What a mind with exact tokens holds, and how it is put at a point of the past. */
import { EngineError } from "../../base/index.ts";
import type { Conversation, Dialect, Policy, SampleOptions, Scorer } from "../../policy/index.ts";
import type { Task, Trajectory } from "../../trajectory/index.ts";
import type { ActionForm } from "./action-form.ts";
import type { BranchPoint, Moment } from "./agent.ts";
import type { Prompter, Prompting } from "./prompter.ts";
import { createRecorder, type StreamRecorder } from "./stream-recorder.ts";

export interface TokenAgentOptions extends Pick<SampleOptions, "temperature" | "topK" | "topP" | "minP"> {
  readonly policy: Policy & Partial<Scorer>;
  readonly dialect: Dialect;
  /** Default: one growing conversation. */
  readonly prompting?: Prompting;
  /** Default: the answer is the action. */
  readonly form?: ActionForm;
  /** Most tokens of one answer. Default: 64. */
  readonly answerTokens?: number;
  readonly system?: string;
  /** Answers are confined to the actions that the world lists. */
  readonly restrict?: boolean;
}

export type Settings = TokenAgentOptions & {
  readonly prompting: Prompting;
  readonly form: ActionForm;
  readonly answerTokens: number;
  /** How its answers are drawn, put together once. */
  readonly sampling: Pick<SampleOptions, "temperature" | "topK" | "topP" | "minP">;
};

/** Where a step's message and answer stand, as positions in its whole context. */
export interface Mark {
  readonly moment: Moment;
  readonly before: Prompter;
  readonly after: Prompter;
  readonly stream: number;
  readonly messageStart: number;
  readonly answerStart: number;
  readonly text: string;
  readonly base: string;
  /** The answer before it has no end of its own. */
  readonly cut: boolean;
}

export interface AnswerInHand {
  readonly ids: readonly number[];
  /** How many of them stand in the parent's stream. */
  readonly inherited: number;
  /** Where its own part begins, in the own tokens of the stream. */
  readonly start: number;
  readonly ended: boolean;
  readonly cut: boolean;
  readonly calls: number;
}

export interface State {
  prompter: Prompter;
  conversation: Conversation;
  seed: string;
  recorders: StreamRecorder[];
  answer: AnswerInHand | undefined;
  marks: Map<number, Mark>;
}

/** A state that has read what stood before the point, in a conversation of its own. */
export function branched({ policy, dialect, system }: Settings, state: State, point: BranchPoint, seed: string): State {
  const mark = state.marks.get(point.step);
  const recorder = mark === undefined ? undefined : state.recorders[mark.stream];
  if (mark === undefined || recorder === undefined) {
    throw new EngineError("branch-point", `The agent has no step ${point.step} of its own to branch at.`);
  }
  const conversation = policy.open({ seed });
  const { token = 0, guidance } = point;
  const end = guidance === undefined ? mark.answerStart + token : mark.messageStart;
  const shared = recorder.whole(end);
  conversation.extend(shared);
  const recorders = [createRecorder(shared)];
  const before = { conversation, seed, recorders, marks: new Map<number, Mark>() };
  if (guidance === undefined) {
    const ids = [...shared.subarray(mark.answerStart)];
    return {
      ...before,
      prompter: mark.after,
      answer: { ids, inherited: ids.length, start: 0, ended: false, cut: true, calls: 0 },
      marks: new Map([[point.step, { ...mark, stream: 0 }]]),
    };
  }
  const { message, next } = mark.before.show({ ...mark.moment, guidance });
  const ids = message.kind === "fresh" ? dialect.opening(message.text, system) : dialect.turn(message.text, mark);
  recorders[0]?.read(ids);
  conversation.extend(ids);
  const answerStart = end + ids.length;
  const moved = { ...mark, stream: 0, after: next, answerStart, text: message.text, base: message.base };
  return {
    ...before,
    prompter: next,
    answer: { ids: [], inherited: 0, start: ids.length, ended: false, cut: true, calls: 0 },
    marks: new Map([[point.step, moved]]),
  };
}

/** A state that has read and said all of a suspended episode; its tokens are its own. */
export function resumed(
  { policy, dialect, prompting, form, answerTokens }: Settings,
  task: Task,
  seed: string,
  { steps, streams, closing }: Pick<Trajectory, "steps" | "streams" | "closing">,
): State {
  const recorders = streams.map((stream) => createRecorder(new Int32Array(), stream));
  const marks = new Map<number, Mark>();
  let prompter = prompting(task, form);
  let answer: AnswerInHand | undefined;
  let cut = false;
  let action: string | undefined;
  const endOf = new Map<number, number>();
  const show = (moment: Moment, stream: number, answerStart: number): void => {
    const { message, next } = prompter.show(moment);
    const messageStart = message.kind === "fresh" ? 0 : (endOf.get(stream) ?? 0);
    const place = { stream, messageStart, answerStart, text: message.text, base: message.base, cut };
    marks.set(moment.step, { moment, before: prompter, after: next, ...place });
    prompter = next;
  };
  for (const { index, observation, span, info, ...step } of steps) {
    if (span === undefined) throw new EngineError("no-tokens", `Step ${index} of task "${task.id}" has no tokens.`);
    const ids = [...(streams[span.stream]?.ids.subarray(span.start, span.end) ?? [])];
    // The world is not asked again what it accepted then.
    show({ step: index, observation, action, admissible: () => undefined }, span.stream, span.start);
    endOf.set(span.stream, span.end);
    cut = !dialect.stop.some((stop) => stop.every((id, at) => ids.at(at - stop.length) === id));
    if (info?.["unfinished"] === true) {
      const ended = !cut || ids.length >= answerTokens;
      answer = { ids, inherited: 0, start: span.start, ended, cut, calls: 0 };
      continue;
    }
    prompter = prompter.hear(dialect.answer(ids)).next;
    ({ action } = step);
  }
  const last = streams.length - 1;
  const length = streams[last]?.ids.length ?? 0;
  if (answer === undefined) {
    const moment = { step: steps.length, observation: closing?.observation ?? "", action, admissible: () => undefined };
    show(moment, last, length);
    answer = { ids: [], inherited: 0, start: length, ended: false, cut: true, calls: 0 };
  }
  const conversation = policy.open({ seed });
  conversation.extend(streams[last]?.ids ?? []);
  return { prompter, conversation, seed, recorders, answer, marks };
}
