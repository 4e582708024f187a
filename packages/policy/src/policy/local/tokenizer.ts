/** Text to tokens and back, by a `tokenizer.json`. */
import { EngineError } from "limbeck-base/base/errors";
import { isObject } from "limbeck-base/base/json";
import type { JsonObject } from "./config-file.ts";
import { withinTime } from "limbeck-base/base/within-time";
import { quote } from "./quote.ts";
import { KNOWN_PATTERNS } from "./word-patterns.ts";

/** `tokenizer.json`, `tokenizer_config.json` and, where there is one, `chat_template.jinja`; saved as they were read. */
export interface TokenizerFiles {
  readonly tokenizer: JsonObject;
  readonly config: JsonObject;
  readonly chatTemplate?: string;
}

export interface EncodeOptions {
  /**
   * What a special token written out in the text becomes. "token" is right for text of a chat template; "text" is right
   * for text of a model, a user or a world, which must not be able to end a turn. Default: "text".
   */
  readonly specials?: "token" | "text";
  /** Adds what the tokenizer puts around every text, a beginning-of-text token for example. Default: no. */
  readonly wrap?: boolean;
  /** The text goes on from other tokens: the space that some tokenizers put before a text is left out. Default: no. */
  readonly continues?: boolean;
}

export interface Tokenizer {
  readonly files: TokenizerFiles;
  /** One more than the largest id. */
  readonly size: number;
  encode(text: string, options?: EncodeOptions): Int32Array;
  /** Exact: no spaces are tidied. Special tokens are written out unless `specials` is "drop". */
  decode(ids: ArrayLike<number>, options?: { readonly specials?: "keep" | "drop" }): string;
  idOf(token: string): number | undefined;
  /** Special tokens by their text. */
  readonly specials: ReadonlyMap<string, number>;
}

/** What is used of the library; its own types do not resolve under Node's rules for imports. */
interface Inner {
  encode(text: string, options: { add_special_tokens: boolean }): { readonly ids: readonly (number | undefined)[] };
  decode(ids: number[], options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean }): string;
  token_to_id(token: string): number | undefined;
  id_to_token(id: number): string | undefined;
  get_vocab(): ReadonlyMap<string, number>;
}

/** What a text may take: a hundred times what the longest ones need. */
const LONGEST_MS = 2_000;

/** Where the files bring patterns of their own, each call of the library has an end. */
function bounded(inner: Inner, where: string, limitMs: number): Inner {
  const late = (): EngineError =>
    new EngineError(
      "bad-tokenizer",
      `${where}: a pattern of the tokenizer took more than ${limitMs / 1_000} s over one text, as patterns do that can match the same letters in many ways. Use another tokenizer, or mend "pre_tokenizer", "normalizer" or "decoder".`,
    );
  return {
    encode: (...given) => withinTime(limitMs, () => inner.encode(...given), late),
    decode: (...given) => withinTime(limitMs, () => inner.decode(...given), late),
    token_to_id: (token) => inner.token_to_id(token),
    id_to_token: (id) => inner.id_to_token(id),
    get_vocab: () => inner.get_vocab(),
  };
}

/** Patterns anywhere in what cuts and changes texts; those of GGUF rules and of our own tokenizers are known not to run away. */
function patternsIn({ normalizer, pre_tokenizer: cuts, decoder, post_processor: after }: JsonObject): string[] {
  const found: string[] = [];
  JSON.stringify([normalizer, cuts, decoder, after], (key, value: unknown) => {
    if (key === "Regex" && typeof value === "string") found.push(value);
    return value;
  });
  return found;
}

/**
 * Loads the library when it is first needed: many runs work on tokens alone.
 *
 * @example
 * import { trainBytePair } from "limbeck/local";
 *
 * const tokenizer = await createTokenizer(trainBytePair(["go to the desk"], { vocabularySize: 259 }));
 * console.log(tokenizer.encode("desk").length, tokenizer.decode(tokenizer.encode("desk"))); // 4 desk
 */
export async function createTokenizer(
  files: TokenizerFiles,
  where = "tokenizer.json",
  { limitMs = LONGEST_MS }: { readonly limitMs?: number } = {},
): Promise<Tokenizer> {
  const library = await import("@huggingface/tokenizers");
  const isKnown = patternsIn(files.tokenizer).every((pattern) => KNOWN_PATTERNS.has(pattern));
  const build = (tokenizer: JsonObject): Inner => {
    try {
      const inner = new library.Tokenizer(tokenizer, files.config) as Inner;
      return isKnown ? inner : bounded(inner, where, limitMs);
    } catch (error) {
      const why = error instanceof Error ? quote(error.message, 200) : "unknown";
      throw new EngineError("bad-tokenizer", `${where}: the tokenizer cannot be built: ${why}.`, { cause: error });
    }
  };
  refuseFarIds(files.tokenizer, where);
  const added = addedTokens(files.tokenizer);
  const full = build({ ...files.tokenizer, added_tokens: added });
  // Without special tokens their names in a text are only text; without a prefix a text can go on from another. Each is
  // made when first asked for.
  const others = new Map<string, Inner>();
  const bare = withoutPrefix(files.tokenizer);
  const variant = (asTokens: boolean, continues: boolean): Inner => {
    const cut = continues && bare !== undefined;
    if (asTokens && !cut) return full;
    const key = `${asTokens} ${cut}`;
    const made =
      others.get(key) ??
      build({
        ...(cut ? bare : files.tokenizer),
        added_tokens: asTokens ? added : added.filter((token) => token["special"] !== true),
      });
    others.set(key, made);
    return made;
  };
  const specials = new Map(
    added.filter((token) => token["special"] === true).map((token) => [String(token["content"]), Number(token["id"])]),
  );
  let size = 0;
  for (const id of full.get_vocab().values()) size = Math.max(size, id + 1);
  return {
    files,
    size,
    specials,
    idOf: (token) => full.token_to_id(token),
    encode: (text, { specials: written = "text", wrap = false, continues = false } = {}) => {
      if (text === "" && !wrap) return new Int32Array(0);
      const asTokens = written === "token" || ![...specials.keys()].some((token) => text.includes(token));
      const { ids } = variant(asTokens, continues).encode(text, { add_special_tokens: wrap });
      const unknown = ids.indexOf(undefined);
      if (unknown < 0) return Int32Array.from(ids as number[]);
      throw new EngineError(
        "unknown-token",
        `${where}: part ${unknown} of the text has no token and none stands for it.`,
      );
    },
    decode: (ids, { specials: kept = "keep" } = {}) => {
      const list = Array.from(ids);
      if (list.length === 0) return "";
      const wrong = list.findIndex((id) => !(Number.isInteger(id) && id >= 0));
      if (wrong >= 0) throw new EngineError("bad-token", `Token ${list[wrong]} at place ${wrong} is not a token id.`);
      // A model may have more ids than its tokenizer has tokens (padding to a round number); they stand for nothing.
      const known = list.filter((id) => full.id_to_token(id) !== undefined);
      if (known.length === 0) return "";
      return full.decode(known, { skip_special_tokens: kept === "drop", clean_up_tokenization_spaces: false });
    },
  };
}

/** Text as it grows token by token; half a letter is held back until the rest of it comes. */
export interface TextStream {
  push(id: number): string;
  /** What is still held back. */
  end(): string;
}

export function createTextStream(tokenizer: Tokenizer): TextStream {
  const ids: number[] = [];
  // Decoders may treat the first token of a text differently, so new tokens are read together with those just before.
  let [context, told] = [0, 0];
  const rest = (final: boolean): string => {
    const before = tokenizer.decode(ids.slice(context, told));
    const text = tokenizer.decode(ids.slice(context));
    if (!final && text.endsWith("\uFFFD")) return "";
    if (text.length > before.length) [context, told] = [told, ids.length];
    return text.slice(before.length);
  };
  return {
    push: (id) => {
      ids.push(id);
      return rest(false);
    },
    end: () => rest(true),
  };
}

/** Sixty times the largest vocabulary that is known. */
const MOST = 1 << 24;

/** The library makes a list as long as the largest id, so that one huge id takes minutes and all memory. */
export function refuseFarIds(tokenizer: JsonObject, where: string): void {
  const { vocab } = (tokenizer["model"] ?? {}) as JsonObject;
  const named = typeof vocab === "object" && vocab !== null && !Array.isArray(vocab) ? Object.entries(vocab) : [];
  const called = addedTokens(tokenizer).map(
    ({ content, id }) => [typeof content === "string" ? content : "", id] as const,
  );
  for (const [token, id] of [...named, ...called]) {
    if (typeof id !== "number" || (Number.isInteger(id) && id >= 0 && id < MOST)) continue;
    throw new EngineError(
      "bad-tokenizer",
      `${where}: the token ${JSON.stringify(token.slice(0, 40))} has the id ${id}; ids are whole numbers from 0 to ${MOST - 1}.`,
      { details: { id } },
    );
  }
}

function addedTokens(tokenizer: JsonObject): JsonObject[] {
  const list = tokenizer["added_tokens"];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** The same without what it puts before every text; undefined where it puts nothing there. */
function withoutPrefix(tokenizer: JsonObject): JsonObject | undefined {
  let found = false;
  const bare = (part: unknown): unknown => {
    if (!isObject(part)) return part;
    if (part["type"] === "Metaspace") {
      found ||= part["prepend_scheme"] !== "never" && part["add_prefix_space"] !== false;
      return { ...part, prepend_scheme: "never", add_prefix_space: false };
    }
    const key = part["type"] === "Sequence" ? ["normalizers", "pretokenizers"].find((name) => name in part) : undefined;
    const parts = key === undefined ? undefined : part[key];
    if (key === undefined || !Array.isArray(parts)) return part;
    const kept = parts.filter((one) => !(isObject(one) && one["type"] === "Prepend"));
    found ||= kept.length < parts.length;
    return { ...part, [key]: kept.map(bare) };
  };
  const { normalizer, pre_tokenizer: words } = tokenizer;
  const without = { ...tokenizer, normalizer: bare(normalizer), pre_tokenizer: bare(words) };
  return found ? without : undefined;
}
