/** The dialect of a model folder: its tokenizer and its chat template. */
import { EngineError } from "limbeck-base/base/errors";
import { concat } from "limbeck-base/base/concat";
import type { Dialect, SpokenOptions } from "../dialect.ts";
import { createChat, type Chat, type ChatMessage, type ChatOptions } from "./chat-template.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** Texts of a world repeat a great deal (the same shelf, the same refusal); this many are remembered. */
const REMEMBERED = 20_000;

/** Any message will do: only what the template puts around it is used. */
const ASKED: ChatMessage = { role: "user", content: "a" };
const ANSWERED: ChatMessage = { role: "assistant", content: "b" };

/**
 * How texts become tokens by a model's own chat template, for a policy whose tokenizer is elsewhere too. A local
 * model needs none: it brings its own.
 *
 * @example
 * import { bundledModel, loadTokenizer } from "limbeck/local";
 *
 * const dialect = await createChatDialect(await loadTokenizer(bundledModel("household")));
 * console.log(dialect.opening("You are in a room.").length > 0); // true
 */
export async function createChatDialect(tokenizer: Tokenizer): Promise<Dialect> {
  const chat = await createChat(tokenizer);
  if (chat === undefined) {
    throw new EngineError(
      "missing-chat-template",
      "The tokenizer has no chat template, so a conversation cannot become tokens; add chat_template.jinja to the model's folder.",
    );
  }
  const known = new Map<string, Dialect>();
  const spoken = (options: SpokenOptions): Dialect => {
    const key = JSON.stringify([options.thinking, options.stop ?? []]);
    const made = known.get(key) ?? { ...dialectOf(chat, tokenizer, options), spoken };
    known.set(key, made);
    return made;
  };
  return spoken({});
}

function dialectOf(chat: Chat, tokenizer: Tokenizer, { thinking, stop: texts = [] }: SpokenOptions): Dialect {
  if (thinking === false) requireSwitch(chat);
  const options: ChatOptions = thinking === undefined ? {} : { variables: { [SWITCH]: thinking } };
  const end = endOfTurn(chat, tokenizer);
  const asked = chat.encodePrompt([ASKED], options);
  // An answer goes on from the prompt. Only behind a special token do some tokenizers put a space before it.
  const continues = ![...tokenizer.specials.values()].includes(asked.at(-1) ?? -1);
  const answered = Int32Array.of(...asked, ...tokenizer.encode("b", { continues }), end);
  const remember = rememberer();
  const turn = (text: string): Int32Array => {
    const all = chat.encodePrompt([ASKED, ANSWERED, { role: "user", content: text }], options);
    if (answered.every((id, at) => all[at] === id)) return all.slice(answered.length);
    throw new EngineError(
      "template-rewrites-history",
      "The chat template writes an earlier answer differently once a later message follows, so a conversation cannot grow token by token. Use a template that appends, or prompts that are rebuilt per step (--prompts rebuilt); limbeck templates check DIR shows where.",
    );
  };
  const closing = Int32Array.of(end);
  return {
    opening: (text, system) =>
      remember(`o ${system ?? ""} ${text}`, () =>
        chat.encodePrompt(
          [...(system === undefined ? [] : [{ role: "system", content: system }]), { role: "user", content: text }],
          options,
        ),
      ),
    turn: (text, { cut = false } = {}) => {
      const ids = remember(`t ${text}`, () => turn(text));
      return cut ? concat(Int32Array, [closing, ids]) : ids;
    },
    stop: [closing, ...texts.flatMap((text) => endingsOf(text, tokenizer))],
    ...(texts.length === 0 ? {} : { closes: (answer: Int32Array) => answer.at(-1) === end }),
    answer: (ids) => {
      const length = ids.length > 0 && ids[ids.length - 1] === end ? ids.length - 1 : ids.length;
      const text = tokenizer.decode(Array.from({ length }, (_, at) => ids[at] as number));
      const ends = texts.map((one) => text.indexOf(one)).filter((at) => at >= 0);
      return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
    },
    reply: (text) => remember(`r ${text}`, () => concat(Int32Array, [tokenizer.encode(text, { continues }), closing])),
  };
}

/**
 * Tokens that a text shows itself in: every single one that holds it, since a tokenizer may have joined it with its
 * neighbours, and its own tokens where it takes several.
 */
function endingsOf(text: string, tokenizer: Tokenizer): Int32Array[] {
  if (text === "") throw new EngineError("bad-option", "An empty text cannot end an answer; give at least one letter.");
  const single: Int32Array[] = [];
  for (let id = 0; id < tokenizer.size; id += 1) {
    if (tokenizer.decode([id]).includes(text)) single.push(Int32Array.of(id));
  }
  const whole = tokenizer.encode(text, { continues: true });
  return whole.length > 1 ? [...single, whole] : single;
}

/** What templates call the switch for thinking. */
const SWITCH = "enable_thinking";

/** A template without the switch writes the same either way. */
export function hasSwitch(chat: Chat): boolean {
  const [on, off] = [true, false].map((value) =>
    chat.render([ASKED], { addGenerationPrompt: true, variables: { [SWITCH]: value } }),
  );
  return on !== off;
}

function requireSwitch(chat: Chat): void {
  if (hasSwitch(chat)) return;
  throw new EngineError(
    "needs-unmet",
    `Thinking cannot be switched off: the chat template of the model has no switch (${SWITCH}). Leave thinking out, or give the model's folder a template that has one.`,
  );
}

/** The special token that the template puts right after an answer. */
export function endOfTurn(chat: Chat, tokenizer: Tokenizer): number {
  const { ids, mask } = chat.encode([ASKED, ANSWERED], { replies: "last" });
  const last = ids[mask.lastIndexOf(1)];
  if (last !== undefined && [...tokenizer.specials.values()].includes(last)) return last;
  throw new EngineError(
    "bad-chat-template",
    "The chat template does not end an answer with a special token, so the end of a turn cannot be told. Use a template that does, ChatML for example.",
  );
}

function rememberer(): (key: string, make: () => Int32Array) => Int32Array {
  const known = new Map<string, Int32Array>();
  return (key, make) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make();
    if (known.size >= REMEMBERED) known.clear();
    known.set(key, made);
    return made;
  };
}
