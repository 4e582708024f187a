/** Keeps the book of model calls: gives each its place, its times and its line. Shared by everything that records. */
import { BROKEN_OFF, type CallLine, type Fault, type Origin, type Message } from "./lines.ts";
import type { ReadAnswer, AskedCall } from "./wire/shape.ts";
import { skillsIn } from "./selection/section.ts";
import { shortHash } from "./redact.ts";

export interface CallScope extends Origin {
  /** The trajectory, where the agent names it. */
  readonly trajectory?: string;
}

export interface OpenCall {
  readonly trajectory: string;
  /** The first piece of the answer came. */
  arrived(): void;
  finish(answer: ReadAnswer): void;
}

export interface CallBookOptions {
  readonly newId: () => string;
  /** Milliseconds since 1970, and a clock that only grows. */
  readonly now: () => number;
  readonly clock: () => number;
  readonly write: (line: CallLine) => void;
}

export class CallBook {
  readonly #options: CallBookOptions;
  readonly #threads: Threads;
  /** Tools of each trajectory as last written, in the order of last use. */
  readonly #tools = new Map<string, string>();

  constructor(options: CallBookOptions) {
    this.#options = options;
    this.#threads = new Threads({ newId: options.newId });
  }

  begin(
    asked: AskedCall,
    scope: CallScope,
    provider: string,
    write: (line: CallLine) => void = this.#options.write,
  ): OpenCall {
    const { now, clock, newId } = this.#options;
    const { trajectory: wanted, ...origin } = scope;
    const call = newId();
    const placed = this.#threads.place(call, asked.messages, wanted);
    const [startedAt, started] = [new Date(now()).toISOString(), clock()];
    const skills = skillsIn(asked.messages);
    const tools = this.#newTools(placed.trajectory, asked.tools);
    let firstChunkMs: number | undefined;
    let open = true;
    const since = (): number => Math.round((clock() - started) * 1000) / 1000;
    return {
      trajectory: placed.trajectory,
      arrived: () => {
        firstChunkMs ??= since();
      },
      finish: (answer) => {
        if (!open) return;
        open = false;
        placed.answered(answer.complete ? answer.reply : undefined);
        const model = asked.model ?? answer.model;
        const error = faultOf(answer);
        write({
          limbeck: "call",
          v: 1,
          trajectory: placed.trajectory,
          call,
          ...(placed.after === undefined ? {} : { after: placed.after }),
          ...origin,
          provider,
          ...(model === undefined ? {} : { model }),
          startedAt,
          durationMs: since(),
          ...(firstChunkMs === undefined ? {} : { firstChunkMs }),
          messages: placed.fresh,
          ...(skills === undefined ? {} : { skills }),
          ...(answer.reply === undefined ? {} : { reply: answer.reply }),
          ...(answer.finish === undefined ? {} : { finish: answer.finish }),
          ...(answer.usage === undefined ? {} : { usage: answer.usage }),
          ...(tools === undefined ? {} : { tools }),
          ...(error === undefined ? {} : { error }),
          ...(answer.reply !== undefined && !answer.complete ? { partial: true as const } : {}),
        });
      },
    };
  }

  forget(trajectory: string): void {
    this.#threads.forget(trajectory);
    this.#tools.delete(trajectory);
  }

  #newTools(trajectory: string, tools: AskedCall["tools"]): AskedCall["tools"] {
    if (tools === undefined || tools.length === 0) return undefined;
    const written = JSON.stringify(tools);
    const same = this.#tools.get(trajectory) === written;
    this.#tools.delete(trajectory);
    this.#tools.set(trajectory, written);
    const [oldest] = this.#tools.keys();
    if (this.#tools.size > 2000 && oldest !== undefined) this.#tools.delete(oldest);
    return same ? undefined : tools;
  }
}

function faultOf(answer: ReadAnswer): Fault | undefined {
  if (answer.error !== undefined || answer.complete) return answer.error;
  return BROKEN_OFF;
}

// Finds the place of a call among earlier ones. An agent repeats its history at every call; what follows the part that is known is
// new. A call without a name belongs to the trajectory whose messages and reply it continues.  System messages stand outside the
// comparison: many agents write the time of day into them.

interface Placed {
  readonly trajectory: string;
  /** The call whose messages and reply come before. */
  readonly after?: string;
  readonly fresh: readonly Message[];
  /** To be called once the answer is there. */
  readonly answered: (reply: Message | undefined) => void;
}

interface Turn {
  readonly call: string;
  readonly trajectory: string;
  readonly before: Turn | undefined;
  /** Messages since `before`, without system messages, and the reply once it is known. */
  readonly fresh: readonly Message[];
  readonly system: readonly Message[];
  readonly inputKey: string;
  reply?: Message;
  key?: string;
  continued: boolean;
}

interface ThreadsOptions {
  readonly newId: () => string;
  /** Trajectories remembered at once; the one that was quiet longest is forgotten first. Default: 2,000. */
  readonly remembered?: number;
  /** Letters of their messages remembered at once. Default: 64 million. */
  readonly rememberedLetters?: number;
}

const START = "start";

export class Threads {
  readonly #newId: () => string;
  readonly #remembered: number;
  readonly #rememberedLetters: number;
  #letters = 0;
  /** Turns by what a call that continues them would repeat, oldest first. */
  readonly #byKey = new Map<string, Turn[]>();
  /** Openings that got no answer, by what they asked. */
  readonly #failedOpenings = new Map<string, Turn[]>();
  /** In the order of last use. */
  readonly #turns = new Map<string, Turn[]>();

  constructor(options: ThreadsOptions) {
    this.#newId = options.newId;
    this.#remembered = options.remembered ?? 2000;
    this.#rememberedLetters = options.rememberedLetters ?? 64_000_000;
  }

  /** `wanted`: the trajectory, where the agent names it. */
  place(call: string, messages: readonly Message[], wanted: string | undefined): Placed {
    const system = messages.filter((message) => message.role === "system");
    const rest = messages.filter((message) => message.role !== "system");
    const keys = chainKeys(rest);
    const inputKey = keys.at(-1) ?? START;
    const known = this.#longest(rest, keys, wanted);
    const before = known?.turn;
    const trajectory = wanted ?? before?.trajectory ?? this.#retried(rest, inputKey) ?? this.#newId();
    const fresh = known === undefined ? rest : rest.slice(known.shared);
    const sameSystem = before !== undefined && sameMessages(system, before.system);
    const turn: Turn = { call, trajectory, before, fresh, system, inputKey, continued: false };
    if (before !== undefined) before.continued = true;
    this.#keep(turn);
    return {
      trajectory,
      ...(before === undefined ? {} : { after: before.call }),
      fresh: sameSystem ? fresh : [...system, ...fresh],
      answered: (reply) => this.#answered(turn, reply),
    };
  }

  forget(trajectory: string): void {
    for (const turn of this.#turns.get(trajectory) ?? []) {
      this.#letters -= lettersOf(turn);
      remove(this.#failedOpenings, turn.inputKey, turn);
      if (turn.key !== undefined) remove(this.#byKey, turn.key, turn);
    }
    this.#turns.delete(trajectory);
  }

  #keep(turn: Turn): void {
    const turns = this.#turns.get(turn.trajectory) ?? [];
    turns.push(turn);
    this.#turns.delete(turn.trajectory);
    this.#turns.set(turn.trajectory, turns);
    this.#letters += lettersOf(turn);
    // The conversation of this call is remembered, however long it is.
    for (const oldest of this.#turns.keys()) {
      const tooMany = this.#turns.size > this.#remembered || this.#letters > this.#rememberedLetters;
      if (!tooMany || oldest === turn.trajectory) return;
      this.forget(oldest);
    }
  }

  #answered(turn: Turn, reply: Message | undefined): void {
    if (!this.#turns.has(turn.trajectory)) return;
    if (reply === undefined) {
      if (turn.before === undefined) add(this.#failedOpenings, turn.inputKey, turn);
      return;
    }
    turn.reply = reply;
    turn.key = nextKey(turn.inputKey, reply);
    add(this.#byKey, turn.key, turn);
  }

  /** The turn that this call repeats the most of. */
  #longest(
    rest: readonly Message[],
    keys: readonly string[],
    wanted: string | undefined,
  ): { readonly turn: Turn; readonly shared: number } | undefined {
    for (let shared = rest.length; shared > 0; shared -= 1) {
      if (rest[shared - 1]?.role !== "assistant") continue;
      const candidates = (this.#byKey.get(keys[shared - 1] ?? "") ?? []).filter(
        (turn) =>
          (wanted === undefined || turn.trajectory === wanted) && sameMessages(historyOf(turn), rest.slice(0, shared)),
      );
      const turn = candidates.find((candidate) => !candidate.continued) ?? candidates.at(-1);
      if (turn !== undefined) return { turn, shared };
    }
    return undefined;
  }

  /**
   * The trajectory whose opening failed before, when this is the same opening: another try. Equal openings that were
   * answered, or still wait, are runs of their own.
   */
  #retried(rest: readonly Message[], inputKey: string): string | undefined {
    const turn = (this.#failedOpenings.get(inputKey) ?? []).find((failed) => sameMessages(failed.fresh, rest));
    if (turn === undefined) return undefined;
    remove(this.#failedOpenings, inputKey, turn);
    return turn.trajectory;
  }
}

/** Replies are short; what makes a conversation long are tool results and documents. */
function lettersOf(turn: Turn): number {
  return turn.fresh.reduce((sum, { content }) => sum + plainText(content).length, 0);
}

function historyOf(turn: Turn): Message[] {
  const pieces: (readonly Message[])[] = [];
  for (let at: Turn | undefined = turn; at !== undefined; at = at.before) {
    pieces.push(at.reply === undefined ? at.fresh : [...at.fresh, at.reply]);
  }
  return pieces.reverse().flat();
}

/** After each message, a short name for all up to it. */
function chainKeys(messages: readonly Message[]): string[] {
  const keys: string[] = [];
  let key = START;
  for (const message of messages) keys.push((key = nextKey(key, message)));
  return keys;
}

function nextKey(key: string, message: Message): string {
  return shortHash(`${key}\n${message.role}\n${sketch(message)}`);
}

/** Enough to tell messages apart at a glance; a text of megabytes is not hashed whole. Candidates are compared fully. */
function sketch(message: Message): string {
  const calls = message.toolCalls ?? [];
  if (calls.length > 0) return calls.map((call) => call.id).join("\n");
  const text = typeof message.content === "string" ? message.content : plainText(message.content);
  return `${message.toolCallId ?? ""}\n${text.length}\n${text.slice(0, 100)}\n${text.slice(-100)}`;
}

function plainText(parts: Message["content"]): string {
  if (typeof parts === "string") return parts;
  return parts.map((part) => (typeof part["text"] === "string" ? part["text"] : "")).join("\n");
}

function sameMessages(left: readonly Message[], right: readonly Message[]): boolean {
  return left.length === right.length && left.every((message, index) => sameMessage(message, right[index]));
}

/** Clients send a reply back without its reasoning and with its arguments written anew; its calls have ids. */
function sameMessage(left: Message, right: Message | undefined): boolean {
  if (right === undefined || left.role !== right.role || left.toolCallId !== right.toolCallId) return false;
  const [ids, others] = [left, right].map((message) =>
    (message.toolCalls ?? []).map((call) => `${call.id} ${call.name}`),
  );
  if ((ids ?? []).join("\n") !== (others ?? []).join("\n")) return false;
  if ((ids ?? []).length > 0) return true;
  if (typeof left.content === "string" && typeof right.content === "string") return left.content === right.content;
  const [text, other] = [plainText(left.content), plainText(right.content)];
  return text === other && (text !== "" || JSON.stringify(left.content) === JSON.stringify(right.content));
}

function add(map: Map<string, Turn[]>, key: string, turn: Turn): void {
  const turns = map.get(key);
  if (turns === undefined) map.set(key, [turn]);
  else turns.push(turn);
}

function remove(map: Map<string, Turn[]>, key: string, turn: Turn): void {
  const left = (map.get(key) ?? []).filter((other) => other !== turn);
  if (left.length === 0) map.delete(key);
  else map.set(key, left);
}
