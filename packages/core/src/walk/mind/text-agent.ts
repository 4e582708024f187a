/** An agent of messages: a chat model behind a server, without tokens of its own. */
import { EngineError } from "limbeck-base/base/errors";
import { sum } from "limbeck-base/base/statistics/summary";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { TextConversation, TextPolicy, TextSampled, TextSampleOptions } from "limbeck-policy/policy/text-policy";
import type { OwnRequest } from "../../env/env.ts";
import type { Message, Task } from "limbeck-base/trajectory/trajectory";
import { plainForm, type ActionForm } from "./action-form.ts";
import type { Agent, Decision, Mind, Moment, SpeakOptions, Spoken } from "./agent.ts";
import { appendOnly, type Prompter, type Prompting } from "./prompter.ts";
import { writeOwnAnswer } from "../../env/own-answer.ts";

export interface TextAgentOptions extends Pick<TextSampleOptions, "temperature" | "topK" | "topP" | "minP" | "stop"> {
  readonly policy: TextPolicy;
  readonly prompting?: Prompting;
  readonly form?: ActionForm;
  /** Most tokens of one answer. Default: 1,024. */
  readonly answerTokens?: number;
  readonly system?: string;
}

type Settings = TextAgentOptions & {
  readonly form: ActionForm;
  readonly prompting: Prompting;
  readonly answerTokens: number;
};

/**
 * An agent whose policy reads and writes messages, such as a chat model.
 *
 * @example
 * import { createChatPolicy, openChatModel } from "limbeck/policy";
 *
 * const content = [{ type: "text", text: "<answer>10 + 9 + 4</answer>" }];
 * const doGenerate = () => Promise.resolve({ content, finishReason: "stop", usage: {} });
 * const policy = createChatPolicy(openChatModel({ specificationVersion: "v2", provider: "own", modelId: "adder", doGenerate }));
 * const agent = createTextAgent({ policy, answerTokens: 64 });
 * const { success } = await evaluate({ env: "countdown", envOptions: { level: "easy" }, policy: agent, tasks: 1, split: "train" });
 * console.log(success); // 1
 */
export function createTextAgent(options: TextAgentOptions): Agent {
  const { policy, prompting = appendOnly, form = plainForm, answerTokens = 1_024 } = options;
  if (!(Number.isInteger(answerTokens) && answerTokens >= 1)) {
    throw new EngineError("bad-option", `answerTokens is ${answerTokens}; it must be a whole number of at least 1.`);
  }
  const settings: Settings = { ...options, prompting, form, answerTokens };
  return {
    get ref() {
      return policy.ref;
    },
    exact: false,
    answerTokens,
    begin: (task, seed) => createMind(settings, begun(settings, task, seed)),
    resume: (task, seed, { steps, closing }) => {
      const state = begun(settings, task, seed);
      const mind = createMind(settings, state);
      let action: string | undefined;
      for (const step of steps) {
        mind.read({ step: step.index, observation: step.observation, action, admissible: () => undefined });
        hearAgain(state, step.reply, step.action, form);
        ({ action } = step);
      }
      mind.read({ step: steps.length, observation: closing?.observation ?? "", action, admissible: () => undefined });
      return mind;
    },
  };
}

interface State {
  readonly seed: string;
  prompter: Prompter;
  conversation: TextConversation;
  /** Messages that are new to the model at this step. */
  messages: readonly Message[];
  sampled: TextSampled | undefined;
  prompt: { readonly text: string; readonly base: string };
  /** What a program asked here in its own words, where it did. */
  request: OwnRequest | undefined;
  /** What branches go back to: the moment, and everything before it was read. */
  readonly marks: Map<number, Mark>;
  step: number;
}

interface Mark {
  readonly moment: Moment;
  readonly before: Prompter;
  readonly messages: readonly Message[];
}

function begun({ policy, prompting, form }: Settings, task: Task, seed: string): State {
  return {
    seed,
    prompter: prompting(task, form),
    conversation: policy.open({ seed }),
    messages: [],
    sampled: undefined,
    prompt: { text: "", base: "" },
    request: undefined,
    marks: new Map(),
    step: 0,
  };
}

function createMind(settings: Settings, state: State): Mind {
  const { policy, form } = settings;
  return {
    read: (moment) => read(settings, state, moment),
    speak: (options) => speak(settings, state, options),
    decide: () => decide(state),
    impose: (action) => {
      const text = form.write(action);
      state.conversation.extend([{ role: "assistant", content: text }]);
      state.sampled = { text, usage: { modelCalls: 0 }, version: policy.ref.version ?? 0, ending: "stop" };
    },
    said: 0,
    sharedTokens: 0,
    // No tokenizer in use makes more tokens of a text than it has bytes; a message's frame is a few more.
    promptTokens: () =>
      sum(state.conversation.messages.map((message) => Buffer.byteLength(JSON.stringify(message)) + 16)),
    context: () => new Int32Array(),
    streams: () => [],
    answer: () => undefined,
    fork: (label) =>
      createMind(settings, {
        ...state,
        seed: `${state.seed} ${label}`,
        conversation: state.conversation.fork(label),
        marks: new Map([...state.marks].filter(([step]) => step === state.step)),
      }),
    branch: ({ step, guidance }, seed) => {
      const mark = state.marks.get(step);
      if (mark === undefined) throw new EngineError("branch-point", `The agent has no step ${step} of its own.`);
      const conversation = policy.open({ seed });
      // A policy may begin every conversation with messages of its own.
      conversation.extend(mark.messages.slice(conversation.messages.length));
      const mind = createMind(settings, { ...state, seed, prompter: mark.before, conversation, marks: new Map() });
      mind.read(guidance === undefined ? mark.moment : { ...mark.moment, guidance });
      return mind;
    },
    close: () => state.conversation.close(),
  };
}

function read({ policy, system }: Settings, state: State, moment: Moment): void {
  const before = state.prompter;
  const request = moment.request?.();
  // A branch reads it later, when the world asks something else.
  const kept = request === undefined ? moment : { ...moment, request: () => request };
  state.marks.set(moment.step, { moment: kept, before, messages: state.conversation.messages });
  const { message, next } = before.show(moment);
  const beginAgain = (): void => {
    if (state.conversation.messages.length === 0) return;
    state.conversation.close();
    state.conversation = policy.open({ seed: `${state.seed} ${moment.step}` });
  };
  if (request === undefined) {
    const fresh = message.kind === "fresh";
    if (fresh) beginAgain();
    const opening = fresh && system !== undefined ? [{ role: "system" as const, content: system }] : [];
    state.messages = [...opening, { role: "user", content: message.text }];
  } else {
    const said = { asked: state.request, heard: state.conversation.messages, observation: moment.observation };
    const { fresh, isNew } = freshOf(request, said);
    if (isNew) beginAgain();
    // What a skill or a hint adds to the text stands beside the program's own messages.
    const added = addedTo(moment.observation, message.text);
    const extra = [...(isNew && system !== undefined ? [system] : []), ...(added === "" ? [] : [added])];
    state.messages = [...extra.map((content) => ({ role: "system" as const, content })), ...fresh];
  }
  state.request = request;
  state.conversation.extend(state.messages);
  state.prompt = { text: message.text, base: message.base };
  state.prompter = next;
  state.sampled = undefined;
  state.step = moment.step;
}

async function speak(settings: Settings, state: State, given: SpeakOptions): Promise<Spoken> {
  if (state.sampled !== undefined) return { tokens: 0, modelCalls: 0, ended: true, full: false };
  const { maxTokens, signal, temperature = settings.temperature } = given;
  const { policy, topK, topP, minP, stop, answerTokens } = settings;
  const { request } = state;
  const sampled = await state.conversation.sample({
    maxTokens: Math.min(maxTokens, answerTokens),
    signal,
    // The program's own limit counts where no budget is shorter.
    ...(request === undefined ? {} : samplingOf(request, maxTokens < answerTokens)),
    ...withoutUndefined({ temperature, topK, topP, minP, stop }),
  });
  if (typeof sampled.text !== "string") {
    throw new EngineError("bad-response", `The answer of policy "${policy.ref.name}" is not a text.`);
  }
  state.sampled = sampled;
  const { completionTokens = 0, modelCalls = 1, promptTokens } = sampled.usage;
  return { tokens: completionTokens, read: promptTokens, modelCalls, ended: true, full: false };
}

function decide(state: State): Decision {
  const { sampled, prompt } = state;
  if (sampled === undefined) throw new EngineError("nothing-said", "The agent has said nothing that could be done.");
  state.sampled = undefined;
  const { decision, next } = state.prompter.hear(sampled.text);
  state.prompter = next;
  return {
    ...(state.request === undefined ? decision : { action: answerTo(sampled), readable: true }),
    messages: state.messages,
    reply: replyOf(sampled),
    usage: { modelCalls: 1, ...sampled.usage },
    ...(prompt.text === prompt.base ? {} : { prompt: prompt.text, basePrompt: prompt.base }),
  };
}

function replyOf({ text, reasoning, toolCalls }: TextSampled): Message {
  return { role: "assistant", content: text, ...withoutUndefined({ reasoning, toolCalls }) };
}

/** A reply of the past takes its place in the conversation without being asked for again. */
function hearAgain(state: State, reply: Message | undefined, action: string, form: ActionForm): void {
  const message = reply ?? { role: "assistant" as const, content: form.write(action) };
  state.conversation.extend([message]);
  state.prompter = state.prompter.hear(typeof message.content === "string" ? message.content : "").next;
}

// How a chat model is asked what a program asks, in the program's own messages, tools and settings.

interface SaidSoFar {
  /** The request before this one. */
  readonly asked: OwnRequest | undefined;
  /** The conversation with the model. */
  readonly heard: readonly Message[];
  /** What the world says; after a refused answer, why. */
  readonly observation: string;
}

/** Messages that the model has not had yet; `isNew` where the request does not continue the earlier ones. */
export function freshOf(
  request: OwnRequest,
  { asked, heard, observation }: SaidSoFar,
): { readonly fresh: readonly Message[]; readonly isNew: boolean } {
  if (asked !== undefined && request.messages === asked.messages) {
    const calls = heard.at(-1)?.toolCalls ?? [];
    const told = calls.map(({ id }): Message => ({ role: "tool", toolCallId: id, content: observation }));
    return { fresh: told.length > 0 ? told : [{ role: "user", content: observation }], isNew: false };
  }
  const goesOn =
    heard.length > 0 &&
    heard.length < request.messages.length &&
    heard.every((message, at) => isSame(message, request.messages[at]));
  return { fresh: goesOn ? request.messages.slice(heard.length) : request.messages, isNew: !goesOn };
}

/** Programs repeat a reply without its thoughts, and with its arguments written anew; its calls have ids. */
function isSame(one: Message, other: Message | undefined): boolean {
  const keyOf = ({ role, content, toolCallId, toolCalls = [] }: Message): string =>
    JSON.stringify([role, toolCallId, toolCalls.length > 0 ? toolCalls.map(({ id }) => id) : content]);
  return other !== undefined && keyOf(one) === keyOf(other);
}

/** What stands in a text beside what the world says, wherever it was put; nothing where the text is another altogether. */
export function addedTo(observation: string, text: string): string {
  const said = observation.trim();
  const shorter = Math.min(said.length, text.length);
  let [before, after] = [0, 0];
  while (before < shorter && said[before] === text[before]) before += 1;
  while (after < shorter - before && said.at(-1 - after) === text.at(-1 - after)) after += 1;
  return before + after === said.length ? text.slice(before, text.length - after).trim() : "";
}

/** `isShort`: a budget leaves less than an answer may have. */
export function samplingOf({ tools, settings, maxTokens }: OwnRequest, isShort: boolean): Partial<TextSampleOptions> {
  const limit = maxTokens === undefined || isShort ? {} : { maxTokens };
  if (tools.length > 0) return { ...limit, tools, fields: settings };
  const { tool_choice: _choice, parallel_tool_calls: _parallel, ...fields } = settings;
  return { ...limit, fields };
}

/** The answer as the program's world reads it. */
export function answerTo({ text, toolCalls = [], ending }: TextSampled): string {
  const calls = toolCalls.map((call, at) => (call.id === "" ? { ...call, id: `call_${at + 1}` } : call));
  const cut = ending === "length" ? "length" : ending === "filtered" ? "content_filter" : undefined;
  return writeOwnAnswer({ text, calls, ...(cut === undefined ? {} : { cut }) });
}
