/**
 * The tokenizer file of llama2.c (pieces with scores, from SentencePiece) as a `tokenizer.json`. SentencePiece joins the
 * neighbouring pieces whose joined piece scores best; ordered by score, those joints are byte-pair merges.
 */
import { readFile } from "node:fs/promises";
import { EngineError } from "../../base/errors.ts";
import { specialTokens } from "./special-tokens.ts";
import type { TokenizerFiles } from "./tokenizer.ts";

interface Piece {
  readonly text: string;
  readonly score: number;
}

const UNKNOWN = "<unk>";
const BEGIN = "<s>";
const END = "</s>";
/** Ids before this are the three above and the 256 bytes. */
const FIRST_PIECE = 3 + 256;
const SPACE = "\u2581";

/**
 * The files of the same tokenizer in Hugging Face's form.
 *
 * @example
 * import { mkdtemp, rm, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = await mkdtemp(join(tmpdir(), "llama2c-"));
 * const pieces = Array.from({ length: 260 }, (_, id) => {
 *   const piece = Buffer.from(`piece ${id}`);
 *   return [Buffer.from(Float32Array.of(-id).buffer), Buffer.from(Int32Array.of(piece.length).buffer), piece];
 * });
 * await writeFile(join(folder, "words.bin"), Buffer.concat([Buffer.alloc(4), ...pieces.flat()]));
 * console.log((await readLlama2cTokenizer(join(folder, "words.bin"))).config["eos_token"]); // </s>
 * await rm(folder, { recursive: true });
 */
export async function readLlama2cTokenizer(path: string): Promise<TokenizerFiles> {
  const pieces = parsePieces(await readFile(path), path);
  if (pieces.length < FIRST_PIECE) {
    throw new EngineError(
      "bad-llama2c",
      `${path} holds ${pieces.length} pieces; the special ones and bytes are ${FIRST_PIECE}.`,
    );
  }
  const texts = pieces.map(({ text }, id) => [UNKNOWN, BEGIN, END][id] ?? text.replaceAll(" ", SPACE));
  return {
    tokenizer: {
      version: "1.0",
      truncation: null,
      padding: null,
      added_tokens: specialTokens([UNKNOWN, BEGIN, END]),
      normalizer: {
        type: "Sequence",
        normalizers: [
          { type: "Prepend", prepend: SPACE },
          { type: "Replace", pattern: { String: " " }, content: SPACE },
        ],
      },
      pre_tokenizer: null,
      post_processor: {
        type: "TemplateProcessing",
        single: [{ SpecialToken: { id: BEGIN, type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
        pair: [{ Sequence: { id: "A", type_id: 0 } }, { Sequence: { id: "B", type_id: 1 } }],
        special_tokens: { [BEGIN]: { id: BEGIN, ids: [1], tokens: [BEGIN] } },
      },
      decoder: {
        type: "Sequence",
        decoders: [
          { type: "Replace", pattern: { String: SPACE }, content: " " },
          { type: "ByteFallback" },
          { type: "Fuse" },
          { type: "Strip", content: " ", start: 1, stop: 0 },
        ],
      },
      model: {
        type: "BPE",
        dropout: null,
        unk_token: UNKNOWN,
        continuing_subword_prefix: null,
        end_of_word_suffix: null,
        fuse_unk: true,
        byte_fallback: true,
        ignore_merges: false,
        vocab: Object.fromEntries(texts.map((text, id) => [text, id])),
        merges: mergesOf(texts, pieces),
      },
    },
    config: {
      tokenizer_class: "PreTrainedTokenizerFast",
      bos_token: BEGIN,
      eos_token: END,
      unk_token: UNKNOWN,
      clean_up_tokenization_spaces: false,
    },
  };
}

/** Every way to make a piece of two others, best score first. */
function mergesOf(texts: readonly string[], pieces: readonly Piece[]): [string, string][] {
  const known = new Set(texts.slice(FIRST_PIECE));
  const found = texts.flatMap((text, id) => {
    if (id < FIRST_PIECE) return [];
    const letters = Array.from(text);
    return letters.slice(1).flatMap((_, at) => {
      const [left, right] = [letters.slice(0, at + 1).join(""), letters.slice(at + 1).join("")];
      return known.has(left) && known.has(right) ? [{ left, right, id, score: pieces[id]?.score ?? 0 }] : [];
    });
  });
  return found
    .sort((one, other) => other.score - one.score || one.id - other.id)
    .map(({ left, right }) => [left, right]);
}

function parsePieces(bytes: Buffer, path: string): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 4; at < bytes.length;) {
    const length = at + 8 <= bytes.length ? bytes.readInt32LE(at + 4) : -1;
    if (length < 0 || at + 8 + length > bytes.length) {
      throw new EngineError("bad-llama2c", `${path}: piece ${pieces.length} at byte ${at} is cut off.`);
    }
    pieces.push({ score: bytes.readFloatLE(at), text: bytes.toString("utf8", at + 8, at + 8 + length) });
    at += 8 + length;
  }
  return pieces;
}
