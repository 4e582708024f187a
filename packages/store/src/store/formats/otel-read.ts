/**
 * Trajectories from the spans of one trace. Each `invoke_agent` span is one; model calls and tool calls belong to the
 * nearest such span above them. Model calls below none form one trajectory per conversation.
 */
import { withoutUndefined } from "limbeck-base/base/fields";
import { unscored } from "limbeck-base/trajectory/score";
import type { Message, Reward, Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { JsonObject } from "limbeck-base/base/json";
import { chatStep, closingOf, textOf } from "./chat-steps.ts";
import { asObjects } from "limbeck-recorder/wire/parts";
import { readClosing, readEvaluations, readParent, readTask, readTiming, readUsage } from "./otel-facts.ts";
import { callArguments } from "limbeck-recorder/lines";
import { readOtelMessages, resultContent } from "./otel-messages.ts";
import type { Trace } from "./otel-traces.ts";
import { numberAttribute, decode, textAttribute, type Attributes, type Span } from "./otlp.ts";
import { CLIENT_LEFT } from "./recorded-lines.ts";

const MODEL_CALLS = new Set(["chat", "generate_content", "text_completion"]);
const DETAILS = "gen_ai.client.inference.operation.details";

interface Owner {
  readonly id: string;
  readonly span?: Span;
  readonly caller?: string;
  /** Model calls in the order of time, each with the tools that ran before the next one. */
  readonly turns: { readonly call: Span; readonly tools: Span[] }[];
}

export function readTrace(trace: Trace): Trajectory[] {
  const spans = [...trace.spans].sort((one, other) => (one.start < other.start ? -1 : one.start > other.start ? 1 : 0));
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const agents = new Map<string, Owner>();
  for (const span of spans) {
    if (operationOf(span) !== "invoke_agent") continue;
    const above = agentAbove(span, byId);
    const id = textAttribute(span.attributes, "limbeck.trajectory.id") || `${trace.id}-${span.spanId}`;
    const caller =
      above === undefined
        ? undefined
        : textAttribute(above.attributes, "limbeck.trajectory.id") || `${trace.id}-${above.spanId}`;
    agents.set(span.spanId, { id, span, ...(caller === undefined ? {} : { caller }), turns: [] });
  }
  const loose = new Map<string, Owner>();
  for (const span of spans) {
    const operation = operationOf(span);
    const isCall = MODEL_CALLS.has(operation);
    if (!isCall && operation !== "execute_tool") continue;
    const owner = agents.get(agentAbove(span, byId)?.spanId ?? "") ?? looseOwner(span, trace, loose);
    if (isCall) owner.turns.push({ call: span, tools: [] });
    else owner.turns.at(-1)?.tools.push(span);
  }
  const owners = [...agents.values(), ...[...loose.values()].filter((owner) => owner.turns.length > 0)];
  return owners.map(toTrajectory);
}

function looseOwner(span: Span, trace: Trace, loose: Map<string, Owner>): Owner {
  const conversation = textAttribute(span.attributes, "gen_ai.conversation.id");
  const id = conversation === undefined ? trace.id : `${trace.id}-${conversation}`;
  const owner = loose.get(id) ?? { id, turns: [] };
  loose.set(id, owner);
  return owner;
}

function operationOf(span: Span): string {
  return textAttribute(span.attributes, "gen_ai.operation.name") ?? "";
}

/** The nearest `invoke_agent` above; a ring of parents, which a broken file may hold, ends the search. */
function agentAbove(span: Span, byId: ReadonlyMap<string, Span>): Span | undefined {
  const seen = new Set([span.spanId]);
  for (
    let up = byId.get(span.parentSpanId ?? "");
    up !== undefined && !seen.has(up.spanId);
    up = byId.get(up.parentSpanId ?? "")
  ) {
    if (operationOf(up) === "invoke_agent") return up;
    seen.add(up.spanId);
  }
  return undefined;
}

function toTrajectory(owner: Owner): Trajectory {
  const facts = owner.span?.attributes ?? {};
  const first = owner.turns[0]?.call.attributes ?? {};
  const { steps, rewards, after, errors, unanswered } = toSteps(owner);
  const evaluations = owner.span === undefined ? [] : readEvaluations(owner.span);
  const reward = evaluations.find((item) => item.total)?.reward.score ?? unscored("no evaluation named reward");
  const heard = [...steps.flatMap((step) => step.messages ?? []), ...(unanswered ?? [])];
  const opening = heard.find((message) => message.role === "user");
  const task = readTask(facts, textOf(opening?.content ?? ""));
  const model = textAttribute(facts, "gen_ai.request.model") ?? textAttribute(first, "gen_ai.request.model");
  const version = numberAttribute(facts, "limbeck.policy.version");
  const ending = textAttribute(facts, "limbeck.ending");
  const lastFault = errors.find(({ call }) => call === owner.turns.at(-1)?.call.spanId);
  const failed = ending === undefined && (owner.span === undefined ? lastFault : owner.span.error) !== undefined;
  const asked = owner.turns.findLast(({ call }) => call.attributes["gen_ai.tool.definitions"] !== undefined)?.call;
  const tools = asObjects(decode(facts["gen_ai.tool.definitions"] ?? asked?.attributes["gen_ai.tool.definitions"]));
  const usage = readUsage(facts);
  const success = facts["limbeck.success"];
  return {
    id: owner.id,
    task,
    group: textAttribute(facts, "limbeck.group") || task.id,
    ...readParent(facts),
    steps,
    streams: [],
    ending: ending === "truncated" || ending === "failed" ? ending : failed ? "failed" : looseEnding(owner, steps),
    reward,
    success: typeof success === "boolean" ? success : null,
    rewards: [...evaluations.filter((item) => !item.total).map((item) => item.reward), ...rewards],
    policy: {
      name: textAttribute(facts, "gen_ai.agent.name") || model || "agent",
      ...withoutUndefined({ version, model }),
    },
    ...(usage === undefined ? {} : { usage }),
    ...(owner.span === undefined ? {} : readTiming(owner.span)),
    ...(unanswered === undefined ? readClosing(facts, after) : closingOf(unanswered)),
    ...(tools === undefined ? {} : { tools }),
    ...failureOf(owner, failed ? lastFault : undefined, failed),
    ...infoOf(owner, errors),
  };
}

/** A call that failed at the end is why its agent did; what the agent itself says repeats it in its own words. */
function failureOf({ span }: Owner, last: CallFault | undefined, failed: boolean): Pick<Trajectory, "failure"> {
  if (last !== undefined) return { failure: { code: last.code, message: last.message } };
  const type = span === undefined ? undefined : textAttribute(span.attributes, "error.type");
  return type === undefined && !failed ? {} : { failure: { code: type ?? "error", message: span?.error ?? "" } };
}

/** Calls without an agent's span end as a recording does without an end line. */
function looseEnding({ span }: Owner, steps: readonly Step[]): Trajectory["ending"] {
  const asksForTools = (steps.at(-1)?.reply?.toolCalls ?? []).length > 0;
  return span === undefined && asksForTools ? "truncated" : "terminated";
}

function infoOf({ caller, turns }: Owner, errors: readonly CallFault[]): Pick<Trajectory, "info"> {
  const info = {
    ...(caller === undefined ? {} : { otel: { subagentOf: caller } }),
    ...(errors.length === 0 ? {} : { recorder: { calls: turns.length, errors } }),
  };
  return Object.keys(info).length === 0 ? {} : { info };
}

interface Turns {
  readonly steps: Step[];
  readonly rewards: Reward[];
  /** Results of tools behind the last reply. */
  readonly after: Message[];
  readonly errors: CallFault[];
  /** What the last call asked, where it got no answer. */
  readonly unanswered: readonly Message[] | undefined;
}

function toSteps(owner: Owner): Turns {
  const steps: Step[] = [];
  const rewards: Reward[] = [];
  const errors: CallFault[] = [];
  const earlier = new EarlierCalls();
  let unanswered: readonly Message[] | undefined;
  let results: Message[] = [];
  const byCall = new Map(
    owner.turns
      .flatMap(({ tools }) => tools)
      .map((tool) => [textAttribute(tool.attributes, "gen_ai.tool.call.id"), tool]),
  );
  for (const { call: span, tools } of owner.turns) {
    const content = contentOf(span);
    const isNew = content["limbeck.input"] === "new";
    const given = [...readSystem(content), ...readOtelMessages(decode(content["gen_ai.input.messages"]))];
    const { fresh, answered } = isNew ? { fresh: given, answered: () => undefined } : earlier.place(given);
    const [output] = readOtelMessages(decode(content["gen_ai.output.messages"]));
    const index = numberAttribute(content, "limbeck.step.index") ?? steps.length;
    const known = new Set(fresh.map((message) => message.toolCallId));
    const messages = [...results.filter((message) => !known.has(message.toolCallId)), ...fresh];
    if (span.error !== undefined) errors.push(readFault(span, index));
    // A try that failed is no step: what it was given is given again, or was the last thing that was asked.
    unanswered = span.error !== undefined && output === undefined && tools.length === 0 ? messages : undefined;
    if (unanswered !== undefined) continue;
    const said: Message = output ?? { role: "assistant", content: "" };
    const calls = said.toolCalls ?? (output === undefined ? tools.map(readToolCall) : []);
    const reply = calls.length === 0 ? said : { ...said, toolCalls: calls };
    answered(reply);
    // A call finds its tool by name of the call, wherever it ran; without content, by the order of time.
    const ran = output === undefined ? tools : calls.flatMap((call) => byCall.get(call.id) ?? []);
    results = isNew ? [] : ran.flatMap(readToolResult);
    const evaluations = readEvaluations(span);
    const reward = evaluations.find((item) => item.total)?.reward.score ?? unscored("no evaluation named reward");
    steps.push(ownFacts(chatStep(index, messages, reply, reward), span));
    rewards.push(...evaluations.filter((item) => !item.total).map((item) => ({ ...item.reward, step: index })));
  }
  return { steps, rewards, after: results, errors, unanswered };
}

/** What an export of ours has about the step itself. */
function ownFacts(step: Step, span: Span): Step {
  const { attributes } = span;
  const observation = textAttribute(attributes, "limbeck.step.observation");
  const action = textAttribute(attributes, "limbeck.step.action");
  const stateKey = textAttribute(attributes, "limbeck.step.state_key");
  const usage = readUsage(attributes);
  const { messages, reply, ...bare } = step;
  const chat = attributes["limbeck.step.chat"] !== false;
  return {
    ...bare,
    ...(chat ? { ...(messages === undefined ? {} : { messages }), ...(reply === undefined ? {} : { reply }) } : {}),
    ...withoutUndefined({ observation, action, stateKey }),
    valid: attributes["limbeck.step.valid"] !== false,
    ...(usage === undefined ? {} : { usage }),
    ...readTiming(span),
  };
}

/** Attributes of the span, or of the event that instrumentations may use for content instead. */
function contentOf(span: Span): Attributes {
  const event = span.events.find((item) => item.name === DETAILS);
  return event === undefined ? span.attributes : { ...event.attributes, ...span.attributes };
}

function readSystem(content: Attributes): Message[] {
  const parts = decode(content["gen_ai.system_instructions"]);
  const [message] = asObjects(parts) === undefined ? [] : readOtelMessages([{ role: "system", parts: parts ?? null }]);
  return message === undefined || message.content === "" ? [] : [message];
}

function readToolCall({ attributes, spanId }: Span): NonNullable<Message["toolCalls"]>[number] {
  return {
    id: textAttribute(attributes, "gen_ai.tool.call.id") ?? spanId,
    name: textAttribute(attributes, "gen_ai.tool.name") ?? "",
    arguments: callArguments(attributes["gen_ai.tool.call.arguments"]),
  };
}

function readToolResult({ attributes, spanId }: Span): Message[] {
  const result = attributes["gen_ai.tool.call.result"];
  if (result === undefined) return [];
  return [
    {
      role: "tool",
      content: resultContent(result),
      toolCallId: textAttribute(attributes, "gen_ai.tool.call.id") ?? spanId,
    },
  ];
}

// What is new in a call whose instrumentation repeats the whole history: what follows the longest earlier call and its reply that it
// goes on from; everything where it goes on from none. System messages stand outside the comparison, and are new where they changed.
// The recorder places its calls by the same rule (`src/record/recorder/threads.ts`).

interface Turn {
  readonly system: readonly Message[];
  readonly history: readonly Message[];
}

class EarlierCalls {
  readonly #turns: Turn[] = [];

  /** The new messages of a call, and what to do with its reply. A call that got none leaves no trace. */
  place(given: readonly Message[]): {
    readonly fresh: readonly Message[];
    readonly answered: (reply: Message) => void;
  } {
    const system = given.filter(({ role }) => role === "system");
    const rest = given.filter(({ role }) => role !== "system");
    const before = this.#longest(rest);
    const fresh = rest.slice(before?.history.length ?? 0);
    const sameSystem =
      before !== undefined && startsWith(system, before.system) && system.length === before.system.length;
    return {
      fresh: sameSystem ? fresh : [...system, ...fresh],
      answered: (reply) => void this.#turns.push({ system, history: [...rest, reply] }),
    };
  }

  #longest(rest: readonly Message[]): Turn | undefined {
    let found: Turn | undefined;
    for (const turn of this.#turns) {
      const longer = turn.history.length >= (found?.history.length ?? 0);
      if (longer && startsWith(rest, turn.history)) found = turn;
    }
    return found;
  }
}

function startsWith(messages: readonly Message[], beginning: readonly Message[]): boolean {
  return beginning.length <= messages.length && beginning.every((message, at) => isSame(message, messages[at]));
}

/** Clients send a reply back without its reasoning and with its arguments written anew; its calls have ids. */
function isSame(one: Message, other: Message | undefined): boolean {
  if (other === undefined || one.role !== other.role || one.toolCallId !== other.toolCallId) return false;
  const [calls, again] = [one, other].map(({ toolCalls = [] }) => toolCalls.map(({ id, name }) => `${id} ${name}`));
  if (calls?.join("\n") !== again?.join("\n")) return false;
  if ((calls ?? []).length > 0) return true;
  const [text, same] = [textOf(one.content), textOf(other.content)];
  return text === same && (text !== "" || JSON.stringify(one.content) === JSON.stringify(other.content));
}

// Why a call of a model failed, from its span, in the words of a recording.

interface CallFault extends JsonObject {
  readonly call: string;
  /** The step that it failed before, or in. */
  readonly step: number;
  readonly code: string;
  readonly message: string;
}

/** Of a span that has an error. */
function readFault({ spanId, attributes, events, error = "" }: Span, step: number): CallFault {
  const thrown = events.find(({ name }) => name === "exception")?.attributes ?? {};
  const type = textAttribute(attributes, "error.type") ?? textAttribute(thrown, "exception.type") ?? "";
  const status = /^[1-9]\d\d$/.test(type) ? Number(type) : numberAttribute(attributes, "http.response.status_code");
  const place = { call: spanId, step };
  if (/(?:^|\.)(?:AbortError|TimeoutError)$/.test(type)) return { ...place, ...CLIENT_LEFT };
  const message = error || (textAttribute(thrown, "exception.message") ?? "");
  if (status !== undefined && status >= 400) return { ...place, code: `http-${status}`, message };
  // Names of classes say where it was thrown, not what happened.
  const named = textAttribute(attributes, "error.type");
  return { ...place, code: named === undefined || named === "" ? "provider-error" : named, message };
}
