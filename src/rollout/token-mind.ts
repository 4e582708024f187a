/** A mind with exact tokens: what it reads and says, recorded as it happens. */
import { EngineError } from "../base/index.ts";
import type { SampleOptions } from "../policy/index.ts";
import type { Decision, Mind, Moment, SpeakOptions, Spoken } from "./agent.ts";
import { checkResponse } from "./check-response.ts";
import { createRecorder, type StreamRecorder } from "./stream-recorder.ts";
import { branched, type AnswerInHand, type Mark, type Settings, type State } from "./token-state.ts";

export function createMind(settings: Settings, state: State): Mind {
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
    state.answer = { ids: [], inherited: 0, start: recorder().length, ended: false, cut: true, calls: 0 };
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
        completionTokens: answer.ids.length - answer.inherited,
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
    promptTokens: () => (state.recorders.length === 0 ? 0 : recorder().shared + recorder().length),
    context: () => (state.recorders.length === 0 ? new Int32Array() : recorder().whole()),
    streams: ({ stream, length } = { stream: 0, length: 0 }) =>
      state.recorders.slice(stream).map((own, at) => own.finish(at === 0 ? length : 0)),
    answer: ({ stream, start, end }) => state.recorders[stream]?.answer(start, end),
    fork: (label) => {
      const shared = createRecorder(recorder().whole());
      return createMind(settings, {
        prompter: state.prompter,
        conversation: state.conversation.fork(label),
        seed: `${state.seed} ${label}`,
        recorders: [shared],
        answer:
          state.answer === undefined ? undefined : { ...state.answer, inherited: state.answer.ids.length, start: 0 },
        marks: new Map(mark === undefined ? [] : [[mark.moment.step, { ...mark, stream: 0 }]]),
      });
    },
    branch: (point, seed) => createMind(settings, branched(settings, state, point, seed)),
    close: () => state.conversation.close(),
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
