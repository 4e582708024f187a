/**
 * Reads models in the layout of llama2.c (its first version): seven int32 of sizes, then every weight as float32.
 *
 * That layout turns neighbouring pairs of a head by rotary positions (0 with 1, 2 with 3); Hugging Face folders turn halves
 * (0 with half, 1 with half + 1). Reordering the rows of the query and key weights makes both the same.
 */
import { type FileHandle } from "node:fs/promises";
import { EngineError } from "limbeck-base/base/errors";
import { openPlain, plainBytes } from "limbeck-base/base/plain-file";
import type { ModelConfig } from "./model-config.ts";
import { readExactly } from "./element-type.ts";
import { checkFinite, createWeights, type Weights } from "./weights.ts";
import { sentencePieceJson, SPACE, specialTokens } from "./sentence-piece.ts";
import type { TokenizerFiles } from "./tokenizer.ts";

const HEADER_BYTES = 28;
/** Layers and sizes beyond these are not models of this layout, whatever a damaged header says. */
const LARGEST_SIZE = 2 ** 24;

/**
 * Configuration and weights of a llama2.c file.
 *
 * @example
 * import { mkdtemp, rm, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = await mkdtemp(join(tmpdir(), "llama2c-"));
 * const sizes = Int32Array.of(4, 4, 1, 1, 1, 3, 2);
 * await writeFile(join(folder, "model.bin"), Buffer.concat([Buffer.from(sizes.buffer), Buffer.alloc(4 * 144)]));
 * console.log((await readLlama2c(join(folder, "model.bin"))).config.hiddenSize); // 4
 * await rm(folder, { recursive: true });
 */
export async function readLlama2c(path: string): Promise<{ readonly config: ModelConfig; readonly weights: Weights }> {
  const file = await openPlain(path);
  try {
    const { size } = await file.stat();
    const config = parseSizes(await readBytes(file, 0, Math.min(HEADER_BYTES, size)), path);
    const places = layout(config);
    const wanted = HEADER_BYTES + 4 * places.reduce((total, { count, times }) => total + count * times, 0);
    if (wanted !== size) {
      throw new EngineError(
        "bad-llama2c",
        `${path} has ${size} bytes; a llama2.c model of its sizes has ${wanted}. It is cut off, or of another layout.`,
      );
    }
    const weights = createWeights(config);
    let at = HEADER_BYTES;
    for (const { name, count, times } of places) {
      for (let layer = 0; layer < times; layer += 1) {
        const view = name === undefined ? undefined : weights.views[name.replace("*", String(layer))];
        if (view !== undefined) view.set(new Float32Array((await readBytes(file, at, count * 4)).buffer));
        at += count * 4;
      }
    }
    for (let layer = 0; layer < config.layers; layer += 1) {
      splitHalves(weights.views[`model.layers.${layer}.self_attn.q_proj.weight`] as Float32Array, config);
      splitHalves(weights.views[`model.layers.${layer}.self_attn.k_proj.weight`] as Float32Array, config);
    }
    checkFinite(weights, path);
    return { config, weights };
  } finally {
    await file.close();
  }
}

function parseSizes(header: Uint8Array, path: string): ModelConfig {
  const fail = (why: string): EngineError => new EngineError("bad-llama2c", `${path} is not a llama2.c model: ${why}.`);
  if (header.length < HEADER_BYTES) throw fail(`it has ${header.length} bytes; the sizes alone take ${HEADER_BYTES}`);
  const sizes = [...new Int32Array(header.buffer, header.byteOffset, 7)] as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [hiddenSize, intermediateSize, layers, heads, keyValueHeads, vocabulary, contextLength] = sizes;
  // A negative vocabulary says that the last layer has weights of its own.
  const plausible = sizes.every((value, at) => (at === 5 ? value !== 0 : value > 0) && Math.abs(value) <= LARGEST_SIZE);
  const headSize = hiddenSize / heads;
  if (!plausible || headSize % 2 !== 0 || heads % keyValueHeads !== 0) throw fail(`its sizes are ${sizes.join(", ")}`);
  return {
    form: "llama",
    hiddenSize,
    intermediateSize,
    layers,
    heads,
    keyValueHeads,
    headSize,
    contextLength,
    vocabularySize: Math.abs(vocabulary),
    ropeTheta: 10_000,
    normEpsilon: 1e-5,
    tiedEmbeddings: vocabulary > 0,
  };
}

interface Section {
  /** A star stands for the layer. Tables that follow from the sizes have no name and are passed over. */
  readonly name: string | undefined;
  readonly count: number;
  readonly times: number;
}

function layout(config: ModelConfig): Section[] {
  const { hiddenSize, intermediateSize, layers, heads, keyValueHeads, headSize, vocabularySize, contextLength } =
    config;
  const perLayer = (name: string, count: number): Section => ({
    name: `model.layers.*.${name}.weight`,
    count,
    times: layers,
  });
  const once = (name: string | undefined, count: number): Section => ({ name, count, times: 1 });
  return [
    once("model.embed_tokens.weight", vocabularySize * hiddenSize),
    perLayer("input_layernorm", hiddenSize),
    perLayer("self_attn.q_proj", heads * headSize * hiddenSize),
    perLayer("self_attn.k_proj", keyValueHeads * headSize * hiddenSize),
    perLayer("self_attn.v_proj", keyValueHeads * headSize * hiddenSize),
    perLayer("self_attn.o_proj", heads * headSize * hiddenSize),
    perLayer("post_attention_layernorm", hiddenSize),
    perLayer("mlp.gate_proj", intermediateSize * hiddenSize),
    perLayer("mlp.down_proj", intermediateSize * hiddenSize),
    perLayer("mlp.up_proj", intermediateSize * hiddenSize),
    once("model.norm.weight", hiddenSize),
    once(undefined, contextLength * headSize),
    ...(config.tiedEmbeddings ? [] : [once("lm_head.weight", vocabularySize * hiddenSize)]),
  ];
}

/** Rows 0, 2, 4, … of each head first, then rows 1, 3, 5, … */
export function splitHalves(
  matrix: Float32Array,
  { headSize, hiddenSize }: Pick<ModelConfig, "headSize" | "hiddenSize">,
): void {
  const before = matrix.slice();
  for (let row = 0; row < matrix.length / hiddenSize; row += 1) {
    const from = halvesRow(row, { headSize });
    matrix.set(before.subarray(from * hiddenSize, (from + 1) * hiddenSize), row * hiddenSize);
  }
}

/** Which row it was before. */
export function halvesRow(row: number, { headSize }: Pick<ModelConfig, "headSize">): number {
  const [head, within, half] = [Math.floor(row / headSize), row % headSize, headSize / 2];
  return head * headSize + (within < half ? within * 2 : (within - half) * 2 + 1);
}

async function readBytes(file: FileHandle, position: number, count: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(count);
  await readExactly(file, bytes, position, (why) => new EngineError("bad-llama2c", `The file is cut off: ${why}.`));
  return bytes;
}

// The tokenizer file of llama2.c (pieces with scores, from SentencePiece) as a `tokenizer.json`.

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
  const pieces = parsePieces(await plainBytes(path), path);
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
