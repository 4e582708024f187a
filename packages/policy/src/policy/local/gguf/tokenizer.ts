/**
 * The tokenizer of a GGUF file as the files of a Hugging Face folder: byte-pair merges over bytes ("gpt2"), or
 * SentencePiece's pieces with scores ("llama").
 */
import { EngineError } from "limbeck-base/base/errors";
import type { JsonObject } from "../config-file.ts";
import { quote } from "../quote.ts";
import { addedToken, sentencePieceJson, wrapper } from "../sentence-piece.ts";
import type { TokenizerFiles } from "../tokenizer.ts";
import { isList, openGguf, type GgufFile } from "./gguf-file.ts";
import { WORD_PATTERNS, type WordPattern } from "../word-patterns.ts";

/** Llama 3's tokenizer takes a word that is a token as it is, whatever its merges would make; and begins every text. */
const IGNORES_MERGES: ReadonlySet<string> = new Set(["llama-bpe", "llama3", "llama-v3"]);

/** What kind of token an id is. */
const NORMAL = 1;
const UNKNOWN = 2;
const CONTROL = 3;
const USER = 4;

export async function readGgufTokenizer(path: string): Promise<TokenizerFiles> {
  const file = await openGguf(path);
  await file.close();
  return tokenizerOf(file);
}

export function tokenizerOf(file: GgufFile): TokenizerFiles {
  const { path, metadata } = file;
  const model = metadata.get("tokenizer.ggml.model");
  if (model === undefined) {
    throw new EngineError("missing-tokenizer", `${path} holds no tokenizer, so text cannot become tokens.`);
  }
  if (model !== "gpt2" && model !== "llama") {
    throw bad(path, `its kind is ${quote(String(model))}; "gpt2" (byte pairs) and "llama" (SentencePiece) are read`);
  }
  const words = wordsOf(file);
  const named = namedTokens(words, metadata, path);
  const edge = (name: "bos" | "eos", otherwise: boolean): { token: string; id: number } | undefined => {
    const id = metadata.get(`tokenizer.ggml.${name}_token_id`);
    const wanted = metadata.get(`tokenizer.ggml.add_${name}_token`) ?? otherwise;
    return wanted === true && typeof id === "number" ? { token: words.texts[id] as string, id } : undefined;
  };
  const pre = metadata.get("tokenizer.ggml.pre");
  const begin = edge("bos", model === "llama" || IGNORES_MERGES.has(String(pre)));
  const end = edge("eos", false);
  const added = words.texts.flatMap((text, id) => {
    const kind = words.kinds[id];
    return kind === UNKNOWN || kind === CONTROL || kind === USER ? [addedToken(id, text, kind !== USER)] : [];
  });
  const chatTemplate = metadata.get("tokenizer.chat_template");
  return {
    tokenizer:
      model === "gpt2"
        ? bytePairJson(words, {
            added,
            pre,
            post: wrapper(begin, end),
            merges: metadata.get("tokenizer.ggml.merges"),
            path,
          })
        : sentencePieceJson({
            texts: words.texts,
            scores: scoresOf(words, metadata, path),
            isWord: (id) => words.kinds[id] === NORMAL || words.kinds[id] === USER,
            added,
            unknown: named["unk_token"],
            spaceBefore: metadata.get("tokenizer.ggml.add_space_prefix") !== false,
            begin,
            end,
          }),
    config: { tokenizer_class: "PreTrainedTokenizerFast", clean_up_tokenization_spaces: false, ...named },
    ...(typeof chatTemplate === "string" ? { chatTemplate } : {}),
  };
}

interface Words {
  readonly texts: readonly string[];
  readonly kinds: ArrayLike<unknown>;
}

function wordsOf({ path, metadata, tensors }: GgufFile): Words {
  const texts = metadata.get("tokenizer.ggml.tokens");
  if (!Array.isArray(texts) || texts.length === 0 || !texts.every((text) => typeof text === "string")) {
    throw bad(path, "tokenizer.ggml.tokens is not a list of texts");
  }
  const rows = tensors.get("token_embd.weight")?.shape[0];
  if (rows !== undefined && texts.length > rows) {
    throw bad(path, `it has ${texts.length} tokens; the model's vocabulary is ${rows}. They do not belong together`);
  }
  const kinds = metadata.get("tokenizer.ggml.token_type") ?? new Uint8Array(texts.length).fill(NORMAL);
  if (!isList(kinds) || kinds.length !== texts.length)
    throw bad(path, "tokenizer.ggml.token_type does not fit its tokens");
  return { texts, kinds };
}

function scoresOf({ texts }: Words, metadata: GgufFile["metadata"], path: string): ArrayLike<number> {
  const scores = metadata.get("tokenizer.ggml.scores");
  if (!(scores instanceof Float32Array) || scores.length !== texts.length) {
    throw bad(path, "tokenizer.ggml.scores does not fit its tokens");
  }
  return scores;
}

/** `bos_token` and the like, by the texts of their ids. */
function namedTokens({ texts }: Words, metadata: GgufFile["metadata"], path: string): Record<string, string> {
  const roles = { bos_token: "bos", eos_token: "eos", unk_token: "unknown", pad_token: "padding" };
  return Object.fromEntries(
    Object.entries(roles).flatMap(([role, key]) => {
      const id = metadata.get(`tokenizer.ggml.${key}_token_id`);
      if (id === undefined) return [];
      const text = typeof id === "number" ? texts[id] : undefined;
      if (text === undefined) throw bad(path, `${key}_token_id is ${String(id)}; it has ${texts.length} tokens`);
      return [[role, text]];
    }),
  );
}

function bytePairJson(
  { texts }: Words,
  parts: { added: unknown; pre: unknown; post: unknown; merges: unknown; path: string },
): JsonObject {
  const { merges, path } = parts;
  const pre = typeof parts.pre === "string" ? parts.pre : "gpt-2";
  if (!Array.isArray(merges) || !merges.every((merge) => typeof merge === "string" && merge.includes(" ", 1))) {
    throw bad(path, "tokenizer.ggml.merges is not a list of pairs");
  }
  const pattern = WORD_PATTERNS.get(pre);
  if (pattern === undefined) {
    throw bad(
      path,
      `texts are cut into words by the rule ${quote(pre)}; known are ${[...WORD_PATTERNS.keys()].join(", ")}`,
    );
  }
  const bytes = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: false };
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: parts.added,
    normalizer: pattern.composes === true ? { type: "NFC" } : null,
    pre_tokenizer: { type: "Sequence", pretokenizers: [...splitting(pattern), bytes] },
    post_processor: parts.post,
    decoder: { ...bytes, use_regex: true },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: IGNORES_MERGES.has(pre),
      vocab: Object.fromEntries(texts.map((text, id) => [text, id])),
      merges,
    },
  };
}

function bad(path: string, why: string): EngineError {
  return new EngineError(
    "bad-tokenizer",
    `The tokenizer of ${path} cannot be used: ${why}. Take the model's Hugging Face folder, which has tokenizer.json.`,
  );
}

/** As parts of a `tokenizer.json`. */
function splitting({ cuts }: WordPattern): object[] {
  return cuts.map((cut) => ({ type: "Split", pattern: { Regex: cut }, behavior: "Isolated", invert: false }));
}
