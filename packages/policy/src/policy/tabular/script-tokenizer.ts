/** Small tokenizers for scripted policies, and the dialect that goes with them. */
import { EngineError } from "limbeck-base/base/errors";
import type { Dialect } from "../dialect.ts";

export interface ScriptTokenizer {
  readonly vocabularySize: number;
  /** Ends every reply; decoded as a line break. */
  readonly endToken: number;
  encode(text: string): Int32Array;
  decode(ids: Int32Array): string;
}

/**
 * Bytes of UTF-8, and 256 as the end of a reply. Any text goes through it unchanged.
 *
 * @example
 * const tokenizer = byteTokenizer();
 * console.log(tokenizer.encode("Hi"), tokenizer.endToken); // Int32Array(2) [ 72, 105 ] 256
 */
export function byteTokenizer(): ScriptTokenizer {
  const endToken = 256;
  return {
    vocabularySize: 257,
    endToken,
    encode: (text) => Int32Array.from(Buffer.from(text, "utf8")),
    decode: (ids) => Buffer.from(ids.map((id) => (id === endToken ? 10 : id))).toString("utf8"),
  };
}

/**
 * One token per word of a given list; texts are cut at white space, and a word that is not listed is refused.
 *
 * @example
 * const tokenizer = wordTokenizer(["go", "left", "right"]);
 * console.log(tokenizer.decode(tokenizer.encode("go left"))); // go left
 */
export function wordTokenizer(words: readonly string[]): ScriptTokenizer {
  const places = new Map(words.map((word, id) => [word, id]));
  const endToken = words.length;
  const idOf = (word: string): number => {
    const id = places.get(word);
    if (id !== undefined) return id;
    throw new EngineError(
      "bad-token",
      `The word ${JSON.stringify(word.slice(0, 40))} is not among the ${words.length} words of the tokenizer; add it to the list.`,
    );
  };
  return {
    vocabularySize: words.length + 1,
    endToken,
    encode: (text) =>
      Int32Array.from(
        text.split(/\s+/).filter((word) => word !== ""),
        idOf,
      ),
    decode: (ids) => Array.from(ids, (id) => (id === endToken ? "\n" : words[id])).join(" "),
  };
}

/**
 * Texts as they are, one after the other, with an end token after each reply.
 *
 * @example
 * import { byteTokenizer, createScriptedPolicy } from "limbeck/policy";
 *
 * const tokenizer = byteTokenizer();
 * const policy = createScriptedPolicy({ tokenizer, script: () => "look" });
 * const { meanSteps } = await evaluate({ env: "household", policy, dialect: plainDialect(tokenizer), tasks: 1, maxSteps: 3 });
 * console.log(meanSteps); // 3
 */
export function plainDialect(tokenizer: ScriptTokenizer): Dialect {
  const { endToken } = tokenizer;
  return {
    opening: (text, system) => tokenizer.encode(system === undefined ? text : `${system}\n\n${text}`),
    turn: (text, { cut = false } = {}) => {
      const ids = tokenizer.encode(text);
      if (!cut) return ids;
      const closed = new Int32Array(ids.length + 1);
      closed[0] = endToken;
      closed.set(ids, 1);
      return closed;
    },
    stop: [Int32Array.of(endToken)],
    answer: (ids) => {
      const end = Array.prototype.indexOf.call(ids, endToken);
      return tokenizer.decode(Int32Array.from(ids).subarray(0, end < 0 ? ids.length : end));
    },
    reply: (text) => encodeReply(tokenizer, text),
  };
}

/** A reply as it is sampled, its end included. */
export function encodeReply(tokenizer: ScriptTokenizer, text: string): Int32Array {
  const ids = tokenizer.encode(text);
  const ended = new Int32Array(ids.length + 1);
  ended.set(ids);
  ended[ids.length] = tokenizer.endToken;
  return ended;
}
