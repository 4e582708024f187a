/**
 * A session while it is read: messages become steps, a message that goes back to an earlier point becomes a branch, calls are
 * paired with their results. `info.session` has the facts that all formats share, `info.FORMAT` and `extra.FORMAT` what else
 * the file holds.
 */
import { withoutUndefined } from "limbeck-base/base/fields";
import { unscored } from "limbeck-base/trajectory/score";
import type { JsonObject } from "limbeck-base/base/json";
import type { Message, Reward, Trajectory, Usage, Step } from "limbeck-base/trajectory/trajectory";
import { withOutcome } from "limbeck-base/trajectory/outcome";
import { closingOf, textOf, chatStep } from "../../store/formats/chat-steps.ts";
import { contentHash } from "../../store/formats/identity.ts";
import { NO_OUTCOME, usageOf } from "../../store/formats/recorded-trajectory.ts";
import { joinReplies } from "./replies.ts";

/** One message of a session, and what is known of it. */
export interface DraftMessage {
  readonly message: Message;
  /** ISO 8601 in UTC. */
  readonly at?: string | undefined;
  /** The record and the one it follows, where the format is a tree. */
  readonly id?: string | undefined;
  readonly after?: string | null | undefined;
  /** A person typed it: it may be the task, or an answer to what the agent did. Default: every user message. */
  readonly person?: boolean;
  /** It may go back to an earlier record, and then begins a branch. Default: what a person typed may. */
  readonly returns?: boolean;
  /** A reply that the model was given as part of its context: it is no step. */
  readonly given?: boolean;
  /** Replies with one key are one reply that was written in pieces. */
  readonly reply?: string | undefined;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly info?: JsonObject | undefined;
}

export interface SessionFacts {
  agent: string;
  version?: string | undefined;
  model?: string | undefined;
  cwd?: string | undefined;
  gitBranch?: string | undefined;
  title?: string | undefined;
  startedAt?: string | undefined;
  /** The session that called this one, and by which call. */
  subagentOf?: JsonObject | undefined;
  tools?: readonly JsonObject[] | undefined;
  /** Why it broke off. */
  failure?: { readonly code: string; readonly message: string } | undefined;
  /** The whole session's usage, where steps do not tell. */
  usage?: Usage | undefined;
  /** The task, where the file names it. */
  task?: { readonly id: string; readonly goal?: string; readonly env?: string };
  system?: string | undefined;
}

interface Position {
  readonly line: Line;
  readonly steps: number;
  readonly fresh: number;
}

export class Draft {
  readonly format: string;
  id: string;
  readonly facts: SessionFacts;
  readonly rewards: Reward[] = [];
  /** What the file says of the session as a whole, beyond the facts. */
  kept: Record<string, JsonObject[string]> = {};
  readonly #lines: Line[] = [];
  readonly #places = new Map<string, Position>();
  #line: Line;
  #goal: string | undefined;
  #last: string | undefined;

  constructor(format: string, id: string, agent: string) {
    this.format = format;
    this.id = id;
    this.facts = { agent };
    this.#line = this.#begin(undefined, 0);
  }

  get steps(): number {
    return this.#lines.reduce((total, line) => total + line.steps.length, 0);
  }

  /** Whether there is any message. */
  get empty(): boolean {
    return this.#lines.every((line) => line.steps.length === 0 && line.fresh.length === 0);
  }

  say(said: DraftMessage): void {
    const { message } = said;
    const person = said.person ?? message.role === "user";
    this.#follow(said, said.returns ?? (person && message.role === "user"));
    const line = this.#line;
    if (said.at !== undefined) {
      this.facts.startedAt ??= said.at;
      this.#last = said.at;
    }
    if (message.role === "assistant" && said.given !== true) this.#answer(line, said);
    else {
      line.fresh.push(message.role === "user" && !person ? withoutPerson(message) : message);
      if (person && message.role === "user") {
        this.#goal ??= textOf(message.content);
        line.asked = true;
      }
      if (message.role === "system") this.facts.system ??= textOf(message.content);
    }
    this.#place(said.id);
  }

  /** A record that is no message, but part of the tree. */
  mark(id: string | undefined, after: string | null | undefined): void {
    if (id === undefined) return;
    const known = typeof after === "string" ? this.#places.get(after) : undefined;
    if (known !== undefined && after !== this.#line.tip) this.#places.set(id, known);
    else this.#place(id);
  }

  /** What happened beside the conversation; kept with the step that follows, or with the session. */
  event(record: JsonObject): void {
    this.#line.events.push(record);
  }

  /** The context was cut down to a summary here. */
  compaction(facts: JsonObject): void {
    this.#line.compaction = { ...this.#line.compaction, ...facts };
  }

  /** Usage of the last reply, where it comes after it. */
  used(usage: Usage | undefined): void {
    const step = this.#line.steps.at(-1);
    if (step !== undefined && usage !== undefined) step.usage ??= usage;
  }

  /** The last reply is whole: what follows is another one. */
  closeReply(): void {
    const step = this.#line.steps.at(-1);
    if (step !== undefined && step.key !== undefined)
      this.#line.steps[this.#line.steps.length - 1] = { ...step, key: undefined };
  }

  /** Something about the last reply. */
  note(info: JsonObject): void {
    const step = this.#line.steps.at(-1);
    if (step !== undefined) step.info = { ...step.info, ...info };
  }

  /** When the last reply was whole. */
  ended(at: string): void {
    const step = this.#line.steps.at(-1);
    if (step !== undefined) step.at = at;
    this.#last = at;
  }

  /** Whether a call has no result yet. */
  waitsFor(call: string): boolean {
    return openCalls(this.#line.steps, this.#line.fresh).includes(call);
  }

  finish(): Trajectory[] {
    const goal = this.facts.task?.goal ?? this.#goal ?? textOf(this.#lines[0]?.fresh[0]?.content ?? "");
    const task = {
      id: this.facts.task?.id ?? `session-${contentHash([goal])}`,
      env: this.facts.task?.env ?? "session",
      seed: 0,
      goal,
      split: "train",
    };
    return this.#lines.map((line, number) => this.#trajectory(line, task, number === 0));
  }

  #begin(parent: Line["parent"], first: number): Line {
    const id = this.#lines.length === 0 ? "" : `/branch-${this.#lines.length}`;
    const line: Line = {
      id,
      parent,
      first,
      steps: [],
      fresh: [],
      asked: false,
      tip: undefined,
      events: [],
      compaction: undefined,
    };
    this.#lines.push(line);
    return line;
  }

  #place(id: string | undefined): void {
    if (id === undefined) return;
    const line = this.#line;
    line.tip = id;
    this.#places.set(id, { line, steps: line.steps.length, fresh: line.fresh.length });
  }

  /** Who speaks after an earlier record goes back to it: what came since stays, and this is a branch. */
  #follow(said: DraftMessage, returns: boolean): void {
    const known = typeof said.after === "string" ? this.#places.get(said.after) : undefined;
    if (!returns || known === undefined || said.after === this.#line.tip) return;
    const { line, steps, fresh } = known;
    const passed = line.steps.length > steps || (line.asked && line.fresh.length > fresh);
    if (!passed || (line.steps.length === steps && line === this.#line)) {
      if (!passed) this.#line = line;
      return;
    }
    const shared = (line.steps[steps]?.messages ?? line.fresh).slice(0, fresh);
    this.#line = this.#begin({ line, step: line.first + steps }, line.first + steps);
    this.#line.fresh = [...shared];
  }

  #answer(line: Line, said: DraftMessage): void {
    const last = line.steps.at(-1);
    const joins = said.reply !== undefined && last?.key === said.reply && !line.asked;
    if (joins && last !== undefined) {
      last.reply = joinReplies(last.reply, said.message, this.format);
      last.usage = said.usage ?? last.usage;
      last.at = said.at ?? last.at;
      last.model ??= said.model;
      last.info = { ...last.info, ...said.info };
      return;
    }
    const events = line.events.length === 0 ? {} : { [this.format]: { events: line.events } };
    const compaction = line.compaction === undefined ? {} : { session: { compaction: line.compaction } };
    line.steps.push({
      messages: line.fresh,
      reply: said.message,
      key: said.reply,
      usage: said.usage,
      from: said.at,
      at: said.at,
      model: said.model,
      info: { ...events, ...compaction, ...said.info },
    });
    line.fresh = [];
    line.events = [];
    line.compaction = undefined;
    line.asked = false;
  }

  #trajectory(line: Line, task: Trajectory["task"], root: boolean): Trajectory {
    const { facts } = this;
    const steps = line.steps.map((step, index) => toStep(step, line.first + index, facts.model));
    const models = line.steps.flatMap((step) => step.model ?? []);
    const model = facts.model ?? models[0];
    const open = openCalls(line.steps, line.fresh);
    const { usage } = usageOf(steps);
    const compactions = steps.flatMap((step) => (step.info?.["session"] === undefined ? [] : [step.index]));
    const session = withoutUndefined({
      format: this.format,
      version: facts.version,
      cwd: facts.cwd,
      gitBranch: facts.gitBranch,
      title: facts.title,
      subagentOf: facts.subagentOf,
      models: new Set(models).size > 1 ? [...new Set(models)] : undefined,
      compactedBefore: compactions.length === 0 ? undefined : compactions,
      unanswered: open.length === 0 ? undefined : open,
    });
    const kept = {
      ...(root ? this.kept : {}),
      ...(line.events.length === 0 ? {} : { events: line.events }),
      ...(line.compaction === undefined ? {} : { compaction: line.compaction }),
    };
    return withOutcome({
      id: `${this.id}${line.id}`,
      task,
      group: task.id,
      ...(line.parent === undefined
        ? {}
        : { parent: { trajectory: `${this.id}${line.parent.line.id}`, step: line.parent.step } }),
      steps,
      streams: [],
      ending: facts.failure !== undefined ? "failed" : open.length > 0 ? "truncated" : "terminated",
      reward: unscored(NO_OUTCOME),
      success: null,
      rewards: root ? this.rewards.filter(({ step }) => step === undefined || step < steps.length) : [],
      policy: { name: facts.agent, ...withoutUndefined({ model }) },
      ...(usage === undefined && root ? withoutUndefined({ usage: facts.usage }) : withoutUndefined({ usage })),
      ...timingOf(facts.startedAt, root ? this.#last : undefined),
      ...closingOf(line.fresh),
      ...(root ? withoutUndefined({ tools: facts.tools }) : {}),
      ...withoutUndefined({ failure: facts.failure }),
      info: { session, ...(Object.keys(kept).length === 0 ? {} : { [this.format]: kept }) },
    });
  }
}

/** The program wrote it in the user's place; what counts words of people leaves it out. */
function withoutPerson(message: Message): Message {
  return { ...message, extra: { ...message.extra, session: { injected: true } } };
}

// The lines of a draft, and their steps as trajectories have them.

interface DraftStep {
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
interface Line {
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

function toStep(step: DraftStep, index: number, usual: string | undefined): Step {
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

function timingOf(from: string | undefined, to: string | undefined): Pick<Step, "timing"> {
  if (from === undefined) return {};
  const durationMs = to === undefined ? 0 : Date.parse(to) - Date.parse(from);
  return { timing: { startedAt: from, ...(durationMs > 0 ? { durationMs } : {}) } };
}

/** Calls that nothing answered; at the end of a session they say that it was cut off. */
export function openCalls(steps: readonly Pick<Step, "messages" | "reply">[], last: readonly Message[]): string[] {
  const messages = [...steps.flatMap((step) => step.messages ?? []), ...last];
  const answered = new Set(messages.flatMap((message) => message.toolCallId ?? []));
  const calls = steps.flatMap(({ reply }) => (reply?.toolCalls ?? []).map((call) => call.id));
  return calls.filter((id) => !answered.has(id));
}
