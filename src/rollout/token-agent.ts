/** An agent with exact tokens: a policy and its dialect. Nothing that was sampled is ever tokenised again. */
import { EngineError } from "../base/index.ts";
import type { Conversation, Dialect, Policy, SampleOptions, Scorer } from "../policy/index.ts";
import type { Task } from "../trajectory/index.ts";
import { plainForm, type ActionForm } from "./action-form.ts";
import type { Agent, BranchPoint, Decision, Mind, Moment, SpeakOptions, Spoken } from "./agent.ts";
import { checkResponse } from "./check-response.ts";
import { appendOnly, type Prompter, type Prompting } from "./prompter.ts";
import { createRecorder, type StreamRecorder } from "./stream-recorder.ts";

export interface TokenAgentOptions extends Pick<SampleOptions, "temperature" | "topK" | "topP" | "minP"> {
  readonly policy: Policy & Partial<Scorer>;
  readonly dialect: Dialect;
  /** One growing conversation unless told. */
  readonly prompting?: Prompting;
  /** The answer is the action unless told. */
  readonly form?: ActionForm;
  /** Most tokens of one answer; 64 unless told. */
  readonly answerTokens?: number;
  readonly system?: string;
  /** Answers are confined to the actions that the world lists. */
  readonly restrict?: boolean;
}

type Settings = TokenAgentOptions & { readonly form: ActionForm; readonly answerTokens: number };

export function createTokenAgent(options: TokenAgentOptions): Agent {
  const { policy, prompting = appendOnly, form = plainForm, answerTokens = 64 } = options;
  if (!(Number.isInteger(answerTokens) && answerTokens >= 1)) {
    throw new EngineError("bad-option", `answerTokens is ${answerTokens}; it must be a whole number of at least 1.`);
  }
  const settings: Settings = { ...options, form, answerTokens };
  return {
    get ref() {
      return policy.ref;
    },
    exact: true,
    answerTokens,
    ...(policy.score === undefined ? {} : { scorer: policy as Policy & Scorer }),
    begin: (task: Task, seed) =>
      createMind(settings, {
        prompter: prompting(task, form),
        conversation: policy.open({ seed }),
        seed,
        recorders: [],
        answer: undefined,
        marks: new Map(),
      }),
  };
}

/** Where a step's message and answer stand, as positions in its whole context. */
interface Mark {
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

interface AnswerInHand {
  readonly ids: readonly number[];
  /** Where its own part begins, in the own tokens of the stream. */
  readonly start: number;
  readonly ended: boolean;
  readonly cut: boolean;
  readonly calls: number;
}

interface State {
  prompter: Prompter;
  conversation: Conversation;
  seed: string;
  recorders: StreamRecorder[];
  answer: AnswerInHand | undefined;
  marks: Map<number, Mark>;
}

function createMind(settings: Settings, state: State): Mind {
  const { policy, dialect, form, temperature = 1 } = settings;
  /** The mark of the step in hand. */
  let mark = [...state.marks.values()].at(-1);
  let cut = mark?.cut ?? false;
  const recorder = (): StreamRecorder => state.recorders.at(-1) as StreamRecorder;

  const read = (given: Moment): void => {
    const moment = { ...given, admissible: once(given.admissible) };
    const before = state.prompter;
    const { message, next } = before.show(moment);
    const fresh = message.kind === "fresh";
    if (fresh && state.recorders.length > 0) {
      const { conversation } = state;
      state.conversation = policy.open({ seed: `${state.seed} ${moment.step}` });
      conversation.close();
    }
    if (fresh) state.recorders.push(createRecorder(new Int32Array()));
    const ids = fresh ? dialect.opening(message.text, settings.system) : dialect.turn(message.text, { cut });
    const messageStart = recorder().shared + recorder().length;
    recorder().read(ids);
    state.conversation.extend(ids);
    mark = {
      moment,
      before,
      after: next,
      stream: state.recorders.length - 1,
      messageStart,
      answerStart: messageStart + ids.length,
      text: message.text,
      base: message.base,
      cut,
    };
    state.marks.set(moment.step, mark);
    state.prompter = next;
    state.answer = { ids: [], start: recorder().length, ended: false, cut: true, calls: 0 };
  };

  const inHand = (): AnswerInHand => {
    if (state.answer !== undefined) return state.answer;
    throw new EngineError("nothing-read", "The agent has read nothing to answer; call `read` first.");
  };

  const speak = async ({ maxTokens, signal, admissible }: SpeakOptions): Promise<Spoken> => {
    const answer = inHand();
    if (answer.ended) return { tokens: 0, modelCalls: 0, ended: true, full: false };
    const most = Math.min(maxTokens, settings.answerTokens - answer.ids.length);
    if (answer.ids.length > 0 && dialect.stop.some(({ length }) => length > 1)) {
      throw new EngineError("long-stop", "An answer cannot be said in parts when what ends it is more than one token.");
    }
    const allowed = settings.restrict === true ? allowedAnswers(settings, admissible(), answer.ids) : undefined;
    const sampled = await state.conversation.sample({
      ...sampling(settings),
      maxTokens: most,
      stop: dialect.stop,
      signal,
      ...(allowed === undefined ? {} : { allowed }),
    });
    checkResponse(policy, sampled, most);
    recorder().say(sampled, temperature);
    const ids = [...answer.ids, ...sampled.ids];
    const stopped = sampled.ending === "stop";
    const ended = stopped || sampled.ending === "context" || ids.length >= settings.answerTokens;
    state.answer = { ...answer, ids, ended, cut: !stopped, calls: answer.calls + 1 };
    return { tokens: sampled.ids.length, modelCalls: 1, ended, full: sampled.ending === "context" };
  };

  const impose = (action: string): void => {
    const ids = dialect.reply(form.write(action));
    recorder().read(ids);
    state.conversation.extend(ids);
    state.answer = { ...inHand(), ids: [...ids], ended: true, cut: false };
  };

  const decide = (): Decision => {
    const answer = inHand();
    const said = dialect.answer(answer.ids);
    const { decision, next } = state.prompter.hear(said);
    state.prompter = next;
    state.answer = undefined;
    ({ cut } = answer);
    const { text, base, answerStart, messageStart } = mark as Mark;
    return {
      ...decision,
      span: { stream: state.recorders.length - 1, start: answer.start, end: recorder().length },
      ...(text === base ? {} : { prompt: text, basePrompt: base }),
      ...(said === decision.action ? {} : { info: { ...decision.info, said } }),
      usage: {
        promptTokens: answerStart,
        cachedTokens: messageStart,
        completionTokens: answer.ids.length,
        modelCalls: answer.calls,
      },
    };
  };

  return {
    read,
    speak,
    impose,
    decide,
    get said() {
      return state.answer?.ids.length ?? 0;
    },
    get sharedTokens() {
      return state.recorders[0]?.shared ?? 0;
    },
    context: () => (state.recorders.length === 0 ? new Int32Array() : recorder().whole()),
    streams: () => state.recorders.map((own) => own.finish()),
    answer: ({ stream, start, end }) => state.recorders[stream]?.answer(start, end),
    fork: (label) => {
      const shared = createRecorder(recorder().whole());
      return createMind(settings, {
        prompter: state.prompter,
        conversation: state.conversation.fork(label),
        seed: `${state.seed} ${label}`,
        recorders: [shared],
        answer: state.answer === undefined ? undefined : { ...state.answer, start: 0 },
        marks: new Map(mark === undefined ? [] : [[mark.moment.step, { ...mark, stream: 0 }]]),
      });
    },
    branch: (point, seed) => createMind(settings, branched(settings, state, point, seed)),
    close: () => state.conversation.close(),
  };
}

/** A state that has read what stood before the point, in a conversation of its own. */
function branched({ policy, dialect, system }: Settings, state: State, point: BranchPoint, seed: string): State {
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
      answer: { ids, start: 0, ended: false, cut: true, calls: 0 },
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
    answer: { ids: [], start: ids.length, ended: false, cut: true, calls: 0 },
    marks: new Map([[point.step, moved]]),
  };
}

function sampling({ temperature, topK, topP, minP }: Settings): Omit<SampleOptions, "maxTokens"> {
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topK === undefined ? {} : { topK }),
    ...(topP === undefined ? {} : { topP }),
    ...(minP === undefined ? {} : { minP }),
  };
}

/** The answers that the world would accept, less what was said of them already. */
function allowedAnswers(
  { dialect, form }: Settings,
  actions: readonly string[] | undefined,
  said: readonly number[],
): readonly Int32Array[] | undefined {
  if (actions === undefined || actions.length === 0) return undefined;
  return actions
    .map((action) => dialect.reply(form.write(action)))
    .filter((ids) => said.every((id, at) => ids[at] === id))
    .map((ids) => ids.subarray(said.length));
}

/** What was listed when it was first asked for: the world moves on, a branch looks back. */
function once<T>(ask: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => (known ??= { value: ask() }).value;
}
