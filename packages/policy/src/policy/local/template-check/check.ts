/**
 * Whether a chat template lets a conversation grow by appending. At every turn of the assistant, the context so far
 * is compared, token by token, with the beginning of the prompt that the template makes of the same chat once
 * later messages follow. Where the two part, a framework that renders the chat anew would show (and train) other tokens
 * than the model saw.
 */
import { errorCode, errorData, type PlainError } from "limbeck-base/base/errors";
import { concat } from "limbeck-base/base/concat";
import { createChatDialect, endOfTurn, hasSwitch } from "../chat-dialect.ts";
import type { Chat } from "../chat-template.ts";
import type { Tokenizer } from "../tokenizer.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";

/** The first token that differs. */
export interface Drift {
  /** The message whose tokens, or whose prompt's, would change. */
  readonly message: number;
  /** Counted from the beginning of the conversation. */
  readonly token: number;
  /** "history": the template writes other text. "tokens": the text is the same, and is cut into other tokens. */
  readonly cause: "history" | "tokens";
  /** The text just before. */
  readonly before: string;
  /** What the model saw from there on, and what the template shows in its place. */
  readonly saw: string;
  readonly shown: string;
}

export type ScenarioResult = { readonly scenario: string; readonly about: string } & (
  | { readonly state: "appends" }
  | { readonly state: "drifts"; readonly drift: Drift }
  /** It appends, and yet the model would not see this part of the chat. */
  | { readonly state: "leaves-out"; readonly missing: string }
  | { readonly state: "refused"; readonly error: PlainError }
);

/**
 * How Limbeck prompts a model with this template. "append": one conversation of exact tokens, which are never rendered
 * again. "rebuilt": the template rewrites plain answers, so every step has a prompt of its own. "none": neither works.
 */
export type Handling = "append" | "rebuilt" | "none";

export interface Handled {
  readonly handling: Handling;
  /** The same with thinking switched off; null where the template has no such switch. */
  readonly thinkingOff: Handling | null;
  /** Whether a system message can be given. */
  readonly system: boolean;
  /** Why appending does not work; null where it does. */
  readonly reason: PlainError | null;
}

/** One result after the other, so that it is known where a template did not come to an end. */
export async function* checkScenarios(chat: Chat, tokenizer: Tokenizer): AsyncGenerator<ScenarioResult> {
  for (const scenario of SCENARIOS) {
    const result = { scenario: scenario.name, about: scenario.about };
    try {
      if (scenario.needsSwitch === true && !hasSwitch(chat)) continue;
      const drift = driftIn(scenario, chat, tokenizer);
      const missing = drift === undefined ? missingIn(scenario, chat) : undefined;
      if (drift !== undefined) yield { ...result, state: "drifts", drift };
      else yield missing === undefined ? { ...result, state: "appends" } : { ...result, state: "leaves-out", missing };
    } catch (error) {
      if (errorCode(error) !== "bad-chat-template") throw error;
      yield { ...result, state: "refused", error: errorData(error) };
    }
  }
}

/** Tried, not guessed: by the dialect of agents. */
export async function handledBy(tokenizer: Tokenizer): Promise<Handled> {
  const wayOf = async (thinking: boolean | undefined): Promise<Omit<Handled, "thinkingOff" | "system">> => {
    let handling: Handling = "none";
    try {
      const plain = await createChatDialect(tokenizer);
      const dialect = thinking === undefined ? plain : (plain.spoken?.({ thinking }) ?? plain);
      dialect.opening("a");
      handling = "rebuilt";
      dialect.turn("c");
      return { handling: "append", reason: null };
    } catch (error) {
      return { handling, reason: errorData(error) };
    }
  };
  const usual = await wayOf(undefined);
  const off = await wayOf(false);
  const system = await takesSystem(tokenizer);
  return { ...usual, thinkingOff: off.reason?.code === "needs-unmet" ? null : off.handling, system };
}

async function takesSystem(tokenizer: Tokenizer): Promise<boolean> {
  try {
    const dialect = await createChatDialect(tokenizer);
    return dialect.opening("a", "Answer briefly.").join() !== dialect.opening("a").join();
  } catch {
    // A template that refuses a system message shows none.
    return false;
  }
}

function driftIn(scenario: Scenario, chat: Chat, tokenizer: Tokenizer): Drift | undefined {
  const { messages, options = {} } = scenario;
  for (let turn = 0; turn < messages.length - 1; turn += 1) {
    if (messages[turn]?.role !== "assistant") continue;
    const following = messages.findIndex(({ role }, at) => at > turn && role === "assistant");
    const prompt = chat.encodePrompt(messages.slice(0, turn), options);
    const saw = concat(Int32Array, [prompt, saidIn(scenario, turn, chat, tokenizer)]);
    const shown = chat.encodePrompt(messages.slice(0, following < 0 ? messages.length : following), options);
    const token = saw.findIndex((id, at) => shown[at] !== id);
    if (token < 0) continue;
    const same = tokenizer.decode(shown).startsWith(tokenizer.decode(saw));
    return { message: turn, token, cause: same ? "tokens" : "history", ...around(saw, shown, token, tokenizer) };
  }
  return undefined;
}

/** The tokens of the turn as the model wrote it, its end included; none where the template does not begin it as it asked. */
function saidIn(
  { messages, options = {}, expects }: Scenario,
  turn: number,
  chat: Chat,
  tokenizer: Tokenizer,
): Int32Array {
  if (expects === "content") {
    const text = tokenizer.encode(String(messages[turn]?.content));
    return concat(Int32Array, [text, Int32Array.of(endOfTurn(chat, tokenizer))]);
  }
  try {
    const { ids, mask } = chat.encode(messages.slice(0, turn + 1), { ...options, replies: "last" });
    return ids.filter((_, at) => mask[at] === 1);
  } catch (error) {
    if (errorCode(error) === "template-rewrites-history") return new Int32Array();
    throw error;
  }
}

/** A text of the chat that the template leaves out when the message that has it is the last. */
function missingIn({ messages, options = {}, shows = [] }: Scenario, chat: Chat): string | undefined {
  return shows.find(([message, text]) => !chat.render(messages.slice(0, message + 1), options).includes(text))?.[1];
}

/** Tokens shown before and after a place. */
const SHOWN = 12;

function around(
  saw: Int32Array,
  shown: Int32Array,
  at: number,
  tokenizer: Tokenizer,
): Pick<Drift, "before" | "saw" | "shown"> {
  return {
    before: tokenizer.decode(saw.slice(Math.max(0, at - SHOWN), at)),
    saw: tokenizer.decode(saw.slice(at, at + SHOWN)),
    shown: tokenizer.decode(shown.slice(at, at + SHOWN)),
  };
}
