/**
 * Traces of tracing services as sessions: every call of a model is a step, and what it was given before is taken off. Calls that
 * do not share their opening are conversations of their own: the first is the session, the others are sub-agents.
 */
import { type JsonObject, canonicalJson } from "limbeck-base/base/json";
import type { Message, Reward, Usage } from "limbeck-base/trajectory/trajectory";
import { withoutUndefined } from "limbeck-base/base/fields";
import { textOf } from "../../store/formats/chat-steps.ts";
import { Draft } from "./draft.ts";
import type { FileReader, Session } from "./session-source.ts";
import { toolOutcome } from "./fields.ts";

/** One record of a trace, in the words that the services share. */
export interface CallSpan {
  readonly trace: string;
  readonly kind: "model" | "tool" | "other";
  readonly name: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly error?: string | undefined;
  /** Of a model: what it was given, and its reply. */
  readonly input: readonly Message[];
  readonly output?: Message | undefined;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  /** Of a tool: the call it answers and what it gave. */
  readonly call?: string | undefined;
  readonly result?: string | undefined;
  /** The other fields of the record. */
  readonly rest: JsonObject;
  readonly rewards?: readonly Reward[];
}

/** What a service says of a trace as a whole. */
export interface TraceFacts {
  readonly trace: string;
  readonly agent?: string | undefined;
  readonly title?: string | undefined;
  readonly rest?: JsonObject;
  readonly rewards?: readonly Reward[];
}

/** A trace is whole once this many records of others followed. */
const QUIET_RECORDS = 20_000;

interface Held {
  readonly spans: CallSpan[];
  readonly facts: TraceFacts[];
  last: number;
}

/** Collects the records of each trace, in any order, until it is quiet. */
export class TraceReader implements FileReader {
  readonly #format: string;
  readonly #read: (record: JsonObject) => readonly (CallSpan | TraceFacts)[];
  readonly #held = new Map<string, Held>();
  #records = 0;

  constructor(format: string, read: (record: JsonObject) => readonly (CallSpan | TraceFacts)[]) {
    this.#format = format;
    this.#read = read;
  }

  add(record: JsonObject): readonly Session[] {
    for (const item of this.#read(record)) {
      this.#records += 1;
      const held = this.#held.get(item.trace) ?? { spans: [], facts: [], last: 0 };
      held.last = this.#records;
      this.#held.delete(item.trace);
      this.#held.set(item.trace, held);
      if ("kind" in item) held.spans.push(item);
      else held.facts.push(item);
    }
    const whole: Session[] = [];
    for (const [trace, held] of this.#held) {
      if (this.#records - held.last < QUIET_RECORDS) break;
      this.#held.delete(trace);
      whole.push(...traceDrafts(this.#format, trace, held));
    }
    return whole;
  }

  end(): readonly Session[] {
    const left = [...this.#held].flatMap(([trace, held]) => traceDrafts(this.#format, trace, held));
    this.#held.clear();
    return left;
  }
}

interface Thread {
  readonly draft: Draft;
  history: readonly string[];
}

function traceDrafts(format: string, trace: string, { spans, facts }: Held): Draft[] {
  const inTime = [...spans].sort((one, other) => ((one.from ?? "") < (other.from ?? "") ? -1 : 1));
  const threads = new Map<string, Thread>();
  const begin = (opening: string): Thread => {
    const id = threads.size === 0 ? trace : `${trace}/agent-${threads.size}`;
    const draft = new Draft(format, id, facts.find(({ agent }) => agent !== undefined)?.agent ?? format);
    if (threads.size > 0) draft.facts.subagentOf = { trajectory: trace };
    const thread: Thread = { draft, history: [] };
    threads.set(opening, thread);
    return thread;
  };
  for (const span of inTime) {
    if (span.kind !== "model") continue;
    const opening = openingOf(span.input);
    sayCall(threads.get(opening) ?? begin(opening), span, format);
  }
  if (threads.size === 0) {
    const only = inTime.find(({ input, output }) => input.length > 0 || output !== undefined);
    sayCall(begin(""), only ?? { ...NOTHING, trace }, format);
  }
  const [main] = threads.values();
  const all = [...threads.values()].map(({ draft }) => draft);
  if (main !== undefined) tellRest(main.draft, inTime, facts, all);
  return all;
}

const NOTHING: CallSpan = { trace: "", kind: "other", name: "", from: undefined, to: undefined, input: [], rest: {} };

/** Calls of one conversation begin alike: with the same instructions and the same request. */
function openingOf(input: readonly Message[]): string {
  const system = input.find(({ role }) => role === "system");
  const asked = input.find(({ role }) => role === "user");
  return canonicalJson([
    system === undefined ? "" : textOf(system.content),
    asked === undefined ? "" : textOf(asked.content),
  ]);
}

function sayCall(thread: Thread, span: CallSpan, format: string): void {
  const { draft } = thread;
  const keys = span.input.map(keyOf);
  let shared = 0;
  while (shared < keys.length && shared < thread.history.length && keys[shared] === thread.history[shared]) shared += 1;
  // A history that is shorter than before was cut down.
  if (thread.history.length > 0 && shared < thread.history.length && draft.steps > 0)
    draft.compaction({ kept: shared, of: thread.history.length });
  for (const message of span.input.slice(shared)) draft.say({ message, at: span.from, given: true });
  const reply = span.output ?? { role: "assistant" as const, content: "" };
  thread.history = [...keys, keyOf(reply)];
  if (span.kind === "model" || span.output !== undefined) {
    const extra = {
      ...reply.extra,
      [format]: { ...(reply.extra?.[format] as JsonObject | undefined), span: span.rest },
    };
    draft.say({ message: { ...reply, role: "assistant", extra }, at: span.from, model: span.model, usage: span.usage });
    if (span.to !== undefined) draft.ended(span.to);
    if (span.error !== undefined) draft.note({ error: span.error });
  }
}

function keyOf({ role, content, toolCalls, toolCallId }: Message): string {
  return canonicalJson([
    role,
    textOf(content),
    (toolCalls ?? []).map(({ name, arguments: given }) => [name, given]),
    toolCallId ?? "",
  ]);
}

/** Results of tools that no later call was given, what went wrong in tools, scores, and the records that are no calls. */
function tellRest(main: Draft, spans: readonly CallSpan[], facts: readonly TraceFacts[], all: readonly Draft[]): void {
  for (const span of spans) {
    if (span.kind === "tool" && span.result !== undefined && span.call !== undefined) {
      const owner = all.find((draft) => draft.waitsFor(span.call as string));
      const extra = toolOutcome({ error: span.error !== undefined });
      owner?.say({
        message: { role: "tool", content: span.result, toolCallId: span.call, name: span.name, extra },
        at: span.to,
      });
    }
    if (span.kind !== "model") {
      const { kind, name, error, call, result } = span;
      main.event({ kind, name, ...withoutUndefined({ error, call, result }), ...span.rest });
    }
    main.rewards.push(...(span.rewards ?? []));
  }
  for (const { title, rest, rewards } of facts) {
    main.facts.title ??= title;
    if (rest !== undefined) main.kept = { ...main.kept, trace: rest };
    main.rewards.push(...(rewards ?? []));
  }
}
