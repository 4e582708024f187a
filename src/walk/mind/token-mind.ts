/** A mind with exact tokens: what it reads and says, recorded as it happens. */
import { EngineError, errorCode, type Mutable } from "../../base/index.ts";
import { wasStopped } from "../../policy/dialect.ts";
import type { Sampled } from "../../policy/index.ts";
import type { Decision, Mind, Moment, SpeakOptions, Spoken } from "./agent.ts";
import { checkResponse } from "./check-response.ts";
import { createRecorder, type StreamRecorder } from "./stream-recorder.ts";
import { branched, type AnswerInHand, type Mark, type Settings, type State } from "./token-state.ts";

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
    // What is asked for in parts is copied by whoever keeps it.
    streams: (after) =>
      after === undefined
        ? state.recorders.map((own) => own.finish())
        : state.recorders.slice(after.stream).map((own, at) => own.view(at === 0 ? after.length : 0)),
    answer: ({ stream, start, end }) => state.recorders[stream]?.answer(start, end),
    fork: (label) => fork(core, label),
    branch: (point, seed) => createMind(settings, branched(settings, state, point, seed)),
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
  if (fresh) state.recorders.push(createRecorder(new Int32Array()));
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
    recorders: [createRecorder(recorderOf(state).whole())],
    answer: answer === undefined ? undefined : { ...answer, inherited: answer.ids.length, start: 0 },
    marks: new Map(mark === undefined ? [] : [[mark.moment.step, { ...mark, stream: 0 }]]),
  });
}

/** Whether the action is named before the answer ends, and the answer may be said in parts. */
function canPause({ form, dialect }: Settings): boolean {
  return form.early !== undefined && dialect.stop.every(({ length }) => length === 1);
}

/** What a prompter hears is a value: listening early changes nothing. */
function called({ settings, state }: Core): string | undefined {
  const { answer, prompter } = state;
  if (answer === undefined || answer.ended) return undefined;
  const said = settings.dialect.answer(answer.ids);
  if (settings.form.early?.(said) === undefined) return undefined;
  const { action, readable, internal } = prompter.hear(said).decision;
  return readable && internal === undefined ? action : undefined;
}

/** The answers that the world would accept, less what was said of them already. Where thoughts follow, the line ends and the answer does not. */
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
