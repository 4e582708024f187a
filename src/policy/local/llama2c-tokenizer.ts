/** The tokenizer file of llama2.c (pieces with scores, from SentencePiece) as a `tokenizer.json`. */
import { readFile } from "node:fs/promises";
import { EngineError } from "../../base/errors.ts";
import { sentencePieceJson, SPACE } from "./sentence-piece.ts";
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
    tokenizer: sentencePieceJson({
      texts,
      scores: pieces.map(({ score }) => score),
      isWord: (id) => id >= FIRST_PIECE,
      added: specialTokens([UNKNOWN, BEGIN, END]),
      unknown: UNKNOWN,
      spaceBefore: true,
      begin: { token: BEGIN, id: 1 },
    }),
    config: {
      tokenizer_class: "PreTrainedTokenizerFast",
      bos_token: BEGIN,
      eos_token: END,
      unk_token: UNKNOWN,
      clean_up_tokenization_spaces: false,
    },
  };
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
