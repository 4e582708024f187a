/**
 * Pieces with scores, as SentencePiece has them, as a `tokenizer.json`. SentencePiece joins the neighbouring pieces whose
 * joined piece scores best; ordered by score, those joints are byte-pair merges. What no piece covers becomes bytes.
 */
import type { JsonObject } from "./config-file.ts";
import type { Json } from "limbeck-base/base/json";

/** What stands for a space in pieces. */
export const SPACE = "\u2581";

export interface Pieces {
  /** The text of every id, spaces as `SPACE`. */
  readonly texts: readonly string[];
  readonly scores: ArrayLike<number>;
  /** False where a piece is no word: special ones and bytes. Only words are joined. */
  readonly isWord: (id: number) => boolean;
  /** Tokens that stand outside the pieces, as `tokenizer.json` lists them. */
  readonly added: readonly unknown[];
  readonly unknown: string | undefined;
  /** A space is put before every text, as in training. */
  readonly spaceBefore: boolean;
  /** Tokens around every text. */
  readonly begin?: { readonly token: string; readonly id: number } | undefined;
  readonly end?: { readonly token: string; readonly id: number } | undefined;
}

export function sentencePieceJson(pieces: Pieces): JsonObject {
  const { texts, spaceBefore } = pieces;
  const spaces = { type: "Replace", pattern: { String: " " }, content: SPACE };
  const strip = { type: "Strip", content: " ", start: 1, stop: 0 };
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: pieces.added,
    normalizer: {
      type: "Sequence",
      normalizers: [...(spaceBefore ? [{ type: "Prepend", prepend: SPACE }] : []), spaces],
    },
    pre_tokenizer: null,
    post_processor: wrapper(pieces.begin, pieces.end),
    decoder: {
      type: "Sequence",
      decoders: [
        { type: "Replace", pattern: { String: SPACE }, content: " " },
        { type: "ByteFallback" },
        { type: "Fuse" },
        ...(spaceBefore ? [strip] : []),
      ],
    },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: pieces.unknown ?? null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: true,
      byte_fallback: true,
      ignore_merges: false,
      vocab: Object.fromEntries(texts.map((text, id) => [text, id])),
      merges: mergesOf(pieces),
    },
  };
}

/** Every way to make a piece of two others, best score first. */
function mergesOf({ texts, scores, isWord }: Pieces): [string, string][] {
  const known = new Set(texts.filter((_, id) => isWord(id)));
  const found = texts.flatMap((text, id) => {
    if (!isWord(id)) return [];
    const letters = Array.from(text);
    return letters.slice(1).flatMap((_, at) => {
      const [left, right] = [letters.slice(0, at + 1).join(""), letters.slice(at + 1).join("")];
      return known.has(left) && known.has(right) ? [{ left, right, id, score: scores[id] ?? 0 }] : [];
    });
  });
  return found
    .sort((one, other) => other.score - one.score || one.id - other.id)
    .map(({ left, right }) => [left, right]);
}

// Special tokens as `tokenizer.json` lists them.

/** Their ids are their places. */
export function specialTokens(contents: readonly string[]): Json[] {
  return contents.map((content, id) => addedToken(id, content, true));
}

export function addedToken(id: number, content: string, special: boolean): Json {
  return { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special };
}

interface Edge {
  readonly token: string;
  readonly id: number;
}

/** The part of `tokenizer.json` that puts tokens around a text; null where there are none. */
export function wrapper(begin: Edge | undefined, end: Edge | undefined): Json {
  const edges = [begin, end].filter((edge) => edge !== undefined);
  if (edges.length === 0) return null;
  const around = (edge: Edge | undefined): Json[] =>
    edge === undefined ? [] : [{ SpecialToken: { id: edge.token, type_id: 0 } }];
  return {
    type: "TemplateProcessing",
    single: [...around(begin), { Sequence: { id: "A", type_id: 0 } }, ...around(end)],
    pair: [{ Sequence: { id: "A", type_id: 0 } }, { Sequence: { id: "B", type_id: 1 } }],
    special_tokens: Object.fromEntries(
      edges.map(({ token, id }) => [token, { id: token, ids: [id], tokens: [token] }]),
    ),
  };
}
