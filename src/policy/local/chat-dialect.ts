/** The dialect of a model folder: its tokenizer and its chat template. */
import { EngineError } from "../../base/errors.ts";
import { joined } from "../../base/joined.ts";
import type { Dialect } from "../dialect.ts";
import { createChat, type Chat, type ChatMessage } from "./chat-template.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** Texts of a world repeat a great deal (the same shelf, the same refusal); this many are remembered. */
const REMEMBERED = 20_000;

/** Any message will do: only what the template puts around it is used. */
const ASKED: ChatMessage = { role: "user", content: "a" };
const ANSWERED: ChatMessage = { role: "assistant", content: "b" };

/**
 * How texts become tokens by a model's own chat template, for a policy that speaks through its tokenizer elsewhere. A local
 * model needs none: it brings its own.
 *
 * @example
 * import { bundledModel, loadTokenizer } from "limbeck/policy/local";
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
  return dialectOf(chat, tokenizer);
}

function dialectOf(chat: Chat, tokenizer: Tokenizer): Dialect {
  const end = endOfTurn(chat, tokenizer);
  const said = Int32Array.of(...chat.encodePrompt([ASKED]), ...tokenizer.encode("b"), end);
  const remember = rememberer();
  const turn = (text: string): Int32Array => {
    const all = chat.encodePrompt([ASKED, ANSWERED, { role: "user", content: text }]);
    if (said.every((id, at) => all[at] === id)) return all.slice(said.length);
    throw new EngineError(
      "template-rewrites-history",
      "The chat template writes an earlier answer differently once a later message follows, so a conversation cannot grow token by token. Use a template that appends, or prompts that are rebuilt per step.",
    );
  };
  const closing = Int32Array.of(end);
  return {
    opening: (text, system) =>
      remember(`o ${system ?? ""} ${text}`, () =>
        chat.encodePrompt([
          ...(system === undefined ? [] : [{ role: "system", content: system }]),
          { role: "user", content: text },
        ]),
      ),
    turn: (text, { cut = false } = {}) => {
      const ids = remember(`t ${text}`, () => turn(text));
      return cut ? joined(Int32Array, [closing, ids]) : ids;
    },
    stop: [closing],
    answer: (ids) => {
      const length = ids.length > 0 && ids[ids.length - 1] === end ? ids.length - 1 : ids.length;
      return tokenizer.decode(Array.from({ length }, (_, at) => ids[at] as number));
    },
    reply: (text) => remember(`r ${text}`, () => joined(Int32Array, [tokenizer.encode(text), closing])),
  };
}

/** The special token that the template puts right after an answer. */
function endOfTurn(chat: Chat, tokenizer: Tokenizer): number {
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
