/** An agent with exact tokens: a policy and its dialect. Nothing that was sampled is ever tokenised again. */
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { withoutUndefined, type Mutable } from "limbeck-base/base/fields";
import type { Conversation, Policy, Sampled, SampleOptions, Scorer } from "limbeck-policy/policy/policy";
import { type Dialect, wasStopped } from "limbeck-policy/policy/dialect";
import { plainForm, type ActionForm } from "./action-form.ts";
import type { Agent, BranchPoint, Decision, Mind, Moment, SpeakOptions, Spoken } from "./agent.ts";
import { appendOnly, type Prompter, type Prompting } from "./prompter.ts";
import { StreamRecorder } from "./stream-recorder.ts";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";

/**
 * An agent of a token policy; its episodes hold the exact ones.
 *
 * @example
 * import { createScriptedPolicy, plainDialect } from "limbeck/policy";
 *
 * const policy = createScriptedPolicy({ script: () => "look" });
 * const agent = createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer), answerTokens: 32 });
 * console.log((await evaluate({ env: "household", policy: agent, tasks: 1, maxSteps: 2 })).meanSteps); // 2
 */
export function createTokenAgent(options: TokenAgentOptions): Agent {
  const { policy, prompting = appendOnly, form = plainForm, answerTokens = 64 } = options;
  const { temperature, topK, topP, minP } = options;
  if (!(Number.isInteger(answerTokens) && answerTokens >= 1)) {
    throw new EngineError("bad-option", `answerTokens is ${answerTokens}; it must be a whole number of at least 1.`);
  }
  const settings: Settings = {
    ...options,
    prompting,
    form,
    answerTokens,
    sampling: withoutUndefined({ temperature, topK, topP, minP }),
  };
  return {
    get ref() {
      return policy.ref;
    },
    exact: true,
    answerTokens,
    ...withoutUndefined({
      concurrency: policy.concurrency,
      scorer: policy.score === undefined ? undefined : (policy as Policy & Scorer),
      embedding: policy.embedding?.bind(policy),
      keptStates: policy.keptStates,
      rough:
        policy.rough === undefined
          ? undefined
          : async () => createTokenAgent({ ...options, policy: (await policy.rough?.()) ?? policy }),
    }),
    begin: (task, seed) =>
      createMind(settings, {
        prompter: prompting(task, form),
        conversation: policy.open({ seed }),
        seed,
        recorders: [],
        answer: undefined,
        marks: new Map(),
      }),
    resume: (task, seed, past) => createMind(settings, resumeState(settings, task, seed, past)),
  };
}

// A mind with exact tokens: what it reads and says, recorded as it happens.

/** A mind and the step it has in hand. */
interface Core {
  readonly settings: Settings;
  readonly state: State;
  /** The mark of the step in hand. */
  mark: Mark | undefined;
  cut: boolean;
}

/**
 * The functions here only hand on: the compiler's work on a closure is lost with it, and minds come and go by the hundred.
 */
export function createMind(settings: Settings, state: State): Mind {
  const mark = [...state.marks.values()].at(-1);
  const core: Core = { settings, state, mark, cut: mark?.cut ?? false };
  return {
    read: (moment) => read(core, moment),
    speak: (options) => speak(core, options),
    impose: (action) => impose(core, action),
    decide: () => decide(core),
    ...(canPause(settings) ? { called: () => called(core) } : {}),
    get said() {
      return state.answer?.ids.length ?? 0;
    },
    get sharedTokens() {
      return state.recorders[0]?.shared ?? 0;
    },
    promptTokens: () => {
      const recorder = state.recorders.at(-1);
      return recorder === undefined ? 0 : recorder.shared + recorder.length;
    },
    context: () => state.recorders.at(-1)?.whole() ?? new Int32Array(),
    // What is asked for in parts is copied by the caller, if it is kept.
    streams: (after) =>
      after === undefined
        ? state.recorders.map((own) => own.finish())
        : state.recorders.slice(after.stream).map((own, at) => own.view(at === 0 ? after.length : 0)),
    answer: ({ stream, start, end }) => state.recorders[stream]?.answer(start, end),
    fork: (label) => fork(core, label),
    branch: (point, seed) => createMind(settings, branchOf(settings, state, point, seed)),
    close: () => state.conversation.close(),
  };
}

function recorderOf({ recorders }: State): StreamRecorder {
  return recorders[recorders.length - 1] as StreamRecorder;
}

function read(core: Core, given: Moment): void {
  const { state, cut } = core;
  const { policy, dialect, system } = core.settings;
  const moment = { ...given, admissible: once(given.admissible) };
  const before = state.prompter;
  const { message, next } = before.show(moment);
  const fresh = message.kind === "fresh";
  if (fresh && state.recorders.length > 0) {
    const { conversation } = state;
    state.conversation = policy.open({ seed: `${state.seed} ${moment.step}` });
    conversation.close();
  }
  if (fresh) state.recorders.push(new StreamRecorder(new Int32Array()));
  const ids = fresh ? dialect.opening(message.text, system) : dialect.turn(message.text, { cut });
  const recorder = recorderOf(state);
  const messageStart = recorder.shared + recorder.length;
  recorder.read(ids);
  state.conversation.extend(ids);
  const mark: Mark = {
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
  core.mark = mark;
  state.marks.set(moment.step, mark);
  state.prompter = next;
  state.answer = { ids: NO_IDS, inherited: 0, start: recorder.length, ended: false, cut: true, calls: 0 };
}

const NO_IDS: readonly number[] = [];

function inHand({ answer }: State): AnswerInHand {
  if (answer !== undefined) return answer;
  throw new EngineError("nothing-read", "The agent has read nothing to answer; call `read` first.");
}

/** What the policy had no room to read was never before it; rows that end in it could not be scored or trained on. */
function takeBackMessage(state: State, mark: Mark | undefined): void {
  const recorder = recorderOf(state);
  const own = (mark?.messageStart ?? 0) - recorder.shared;
  if (own > 0 && inHand(state).ids.length === 0) recorder.takeBack(own);
}

async function speak(
  { settings, state, mark }: Core,
  { maxTokens, signal, admissible, temperature: asked }: SpeakOptions,
): Promise<Spoken> {
  const { policy, dialect } = settings;
  const answer = inHand(state);
  if (answer.ended) return { tokens: 0, modelCalls: 0, ended: true, full: false };
  const most = Math.min(maxTokens, settings.answerTokens - answer.ids.length);
  if (answer.ids.length > 0 && dialect.stop.some(({ length }) => length > 1)) {
    throw new EngineError("long-stop", "An answer cannot be said in parts when what ends it is more than one token.");
  }
  const sampling = asked === undefined ? settings.sampling : { ...settings.sampling, temperature: asked };
  const options = { ...sampling, maxTokens: most, stop: dialect.stop, signal };
  // Where thoughts follow the action, they are free.
  const confined = settings.restrict === true && settings.form.early?.(dialect.answer(answer.ids)) === undefined;
  const allowed = confined ? allowedAnswers(settings, admissible(), answer.ids) : undefined;
  let sampled: Sampled;
  try {
    sampled = await state.conversation.sample(allowed === undefined ? options : { ...options, allowed });
  } catch (error) {
    if (errorCode(error) === "past-context") takeBackMessage(state, mark);
    throw error;
  }
  checkResponse(policy, sampled, most);
  recorderOf(state).say(sampled, sampling.temperature ?? 1);
  const ids = [...answer.ids];
  let logprob = 0;
  for (let at = 0; at < sampled.ids.length; at += 1) {
    ids.push(sampled.ids[at] as number);
    logprob += sampled.logprobs[at] as number;
  }
  const paused = allowed !== undefined && settings.form.early !== undefined;
  const stopped = sampled.ending === "stop" && (!paused || wasStopped(Int32Array.from(ids), dialect));
  const ended = stopped || sampled.ending === "context" || ids.length >= settings.answerTokens;
  const { inherited, start, calls } = answer;
  // A text that stops an answer does not end the turn.
  const closed = stopped && (dialect.closes === undefined || dialect.closes(Int32Array.from(ids)));
  state.answer = { ids, inherited, start, ended, cut: !closed, calls: calls + 1 };
  return { tokens: sampled.ids.length, modelCalls: 1, logprob, ended, full: sampled.ending === "context" };
}

function impose({ settings, state }: Core, action: string): void {
  const ids = settings.dialect.reply(settings.form.write(action));
  recorderOf(state).read(ids);
  state.conversation.extend(ids);
  state.answer = { ...inHand(state), ids: [...ids], ended: true, cut: false };
}

function decide(core: Core): Decision {
  const { state, settings, mark } = core;
  const answer = inHand(state);
  const said = settings.dialect.answer(answer.ids);
  const { decision, next } = state.prompter.hear(said);
  state.prompter = next;
  state.answer = undefined;
  core.cut = answer.cut;
  const { text, base, answerStart, messageStart } = mark as Mark;
  const decided: Mutable<Decision> = {
    ...decision,
    span: { stream: state.recorders.length - 1, start: answer.start, end: recorderOf(state).length },
    usage: {
      promptTokens: answerStart,
      cachedTokens: messageStart,
      completionTokens: answer.ids.length - answer.inherited,
      modelCalls: answer.calls,
    },
  };
  if (text !== base) {
    decided.prompt = text;
    decided.basePrompt = base;
  }
  if (said !== decision.action) decided.info = { ...decision.info, said };
  return decided;
}

function fork({ settings, state, mark }: Core, label: string): Mind {
  const { answer, seed } = state;
  return createMind(settings, {
    prompter: state.prompter,
    conversation: state.conversation.fork(label),
    seed: `${seed} ${label}`,
    recorders: [new StreamRecorder(recorderOf(state).whole())],
    answer: answer === undefined ? undefined : { ...answer, inherited: answer.ids.length, start: 0 },
    marks: new Map(mark === undefined ? [] : [[mark.moment.step, { ...mark, stream: 0 }]]),
  });
}

/** Whether the action is named before the answer ends, and the answer may be sampled in parts. */
function canPause({ form, dialect }: Settings): boolean {
  return form.early !== undefined && dialect.stop.every(({ length }) => length === 1);
}

/** A prompter is a value: reading early changes nothing. */
function called({ settings, state }: Core): string | undefined {
  const { answer, prompter } = state;
  if (answer === undefined || answer.ended) return undefined;
  const said = settings.dialect.answer(answer.ids);
  if (settings.form.early?.(said) === undefined) return undefined;
  const { action, readable, internal } = prompter.hear(said).decision;
  return readable && internal === undefined ? action : undefined;
}

/** The answers that the world would accept, less what was sampled of them already. Where thoughts follow, the line ends and the answer does not. */
function allowedAnswers(
  { dialect, form }: Settings,
  actions: readonly string[] | undefined,
  said: readonly number[],
): readonly Int32Array[] | undefined {
  if (actions === undefined || actions.length === 0) return undefined;
  return actions
    .map((action) => {
      if (form.early === undefined) return dialect.reply(form.write(action));
      const line = dialect.reply(`${form.write(action)}\n`);
      const end = dialect.stop.find((one) => wasStopped(line, { stop: [one] }));
      return line.subarray(0, line.length - (end?.length ?? 0));
    })
    .filter((ids) => said.every((id, at) => ids[at] === id))
    .map((ids) => ids.subarray(said.length));
}

/** What was listed when it was first asked for: the world moves on, a branch looks back. */
function once<T>(ask: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => (known ??= { value: ask() }).value;
}

// A policy's answer is checked before it is recorded: one that breaks its contract costs one trajectory, never the run.

/** Log-probability of a token that was certain may come out a hair above zero. */
const ROUNDING = 1e-6;

export function checkResponse(policy: Policy, sampled: Sampled, maxTokens: number): void {
  const { ids, logprobs, sampledLogprobs, version } = sampled;
  const count = ids.length;
  if (count === 0) throw refused(policy, "it holds no tokens");
  if (count > maxTokens) throw refused(policy, `it holds ${count} tokens where at most ${maxTokens} were asked for`);
  // Empty: a server that does not report its sampling distribution.
  const drawn = sampledLogprobs.length === 0 ? count : sampledLogprobs.length;
  if (logprobs.length !== count || drawn !== count) {
    throw refused(policy, `${count} tokens have ${logprobs.length} and ${sampledLogprobs.length} log-probabilities`);
  }
  if (!Number.isInteger(version)) throw refused(policy, `its version is ${version}, not a whole number`);
  for (let at = 0; at < count; at += 1) {
    const id = ids[at] as number;
    if (!(Number.isInteger(id) && id >= 0)) throw refused(policy, `token ${at} has the id ${id}`);
    checkLogprob(policy, logprobs[at] as number, at);
    checkLogprob(policy, sampledLogprobs[at] ?? 0, at);
  }
}

function checkLogprob(policy: Policy, value: number, at: number): void {
  if (Number.isFinite(value) && value <= ROUNDING) return;
  throw refused(policy, `token ${at} has the log-probability ${value}; it must be finite and not above 0`);
}

function refused(policy: Policy, what: string): EngineError {
  return new EngineError("bad-response", `The answer of policy "${policy.ref.name}" cannot be used: ${what}.`, {
    details: { policy: policy.ref.name },
  });
}

// What a mind with exact tokens holds, and how it is put at a point of the past.

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
export function branchOf({ policy, dialect, system }: Settings, state: State, point: BranchPoint, seed: string): State {
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
  const recorders = [new StreamRecorder(shared)];
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

/** A state with the whole context of a suspended episode; its tokens are its own. */
export function resumeState(
  { policy, dialect, prompting, form, answerTokens }: Settings,
  task: Task,
  seed: string,
  { steps, streams, closing }: Pick<Trajectory, "steps" | "streams" | "closing">,
): State {
  const recorders = streams.map((stream) => new StreamRecorder(new Int32Array(), stream));
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
