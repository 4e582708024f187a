/** A GGUF file in the place of a model folder. */
import { mapLimit } from "limbeck-base/base/concurrency";
import { EngineError } from "limbeck-base/base/errors";
import { parseConfig } from "../config-file.ts";
import { halvesRow, splitHalves } from "../llama2c.ts";
import { formOf, parameterShapes } from "../model-config.ts";
import { checkTensors, placesIn, READ_AT_ONCE, readRounded, type ModelFolder } from "../model-folder.ts";
import { createMatrix, reorderRows, type Bits, type QuantisedMatrix } from "../quantised/matrix.ts";
import { checkFinite } from "../weights.ts";
import { halfAt } from "./blocks.ts";
import { architectureOf, configOf, FACTOR_TENSORS, readFactors } from "./config.ts";
import { openGguf, type GgufFile, type GgufTensor } from "./gguf-file.ts";

/** Opens and checks everything, and reads no weight yet. */
export async function openGgufModel(path: string): Promise<ModelFolder> {
  const file = await openGguf(path);
  try {
    const configJson = configOf(file, await readFactors(file));
    const architecture = architectureOf(file);
    const config = parseConfig(configJson, path);
    const shapes = parameterShapes(config);
    const weighty = [...file.tensors.keys()].filter((name) => !(FACTOR_TENSORS as readonly string[]).includes(name));
    const names = new Map(weighty.map((name) => [plainName(name, architecture), name]));
    checkTensors(path, config, shapes, (name) => file.tensors.get(names.get(name) ?? ""), names.keys(), "its metadata");
    // Files of this architecture keep the two numbers that a rotary position turns side by side.
    const sideBySide = architecture === "llama";
    // What norms multiply by, where folders hold that less this.
    const { normOffset } = formOf(config);
    return {
      path,
      config,
      configJson,
      generationJson: {},
      metadata: {},
      readWeights: async (weights) => {
        await mapLimit(placesIn(weights, shapes), READ_AT_ONCE, async ([name, view]) => {
          await file.readInto(names.get(name) as string, view);
          if (normOffset !== 0 && name.endsWith("norm.weight"))
            view.forEach((value, at) => (view[at] = value - normOffset));
          if (sideBySide && /\.[qk]_proj\.weight$/.test(name)) splitHalves(view, config);
          if (sideBySide && /\.[qk]_proj\.bias$/.test(name)) splitHalves(view, { ...config, hiddenSize: 1 });
        });
        checkFinite(weights, path);
      },
      readMatrix: async (name, bits) => {
        const own = names.get(name) as string;
        const shape = shapes.get(name) as readonly number[];
        const same = await repackMatrix(file, own, shape, bits);
        const matrix = same ?? (await readRounded(path, name, shape, bits, (view) => file.readInto(own, view)));
        if (sideBySide && /\.[qk]_proj\.weight$/.test(name)) reorderRows(matrix, (row) => halvesRow(row, config));
        return { matrix, exact: same !== undefined };
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** What GGUF calls a model's tensors, and what Hugging Face folders call them. */
const WHOLE: Readonly<Record<string, string>> = {
  token_embd: "model.embed_tokens",
  output_norm: "model.norm",
  output: "lm_head",
};

const IN_LAYER: Readonly<Record<string, string>> = {
  attn_norm: "input_layernorm",
  ffn_norm: "post_attention_layernorm",
  attn_q: "self_attn.q_proj",
  attn_k: "self_attn.k_proj",
  attn_v: "self_attn.v_proj",
  attn_output: "self_attn.o_proj",
  attn_q_norm: "self_attn.q_norm",
  attn_k_norm: "self_attn.k_norm",
  ffn_gate: "mlp.gate_proj",
  ffn_up: "mlp.up_proj",
  ffn_down: "mlp.down_proj",
};

/** What differs in an architecture. */
const OTHERWISE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  gemma3: {
    post_attention_norm: "post_attention_layernorm",
    ffn_norm: "pre_feedforward_layernorm",
    post_ffw_norm: "post_feedforward_layernorm",
  },
  // Gate and up are one matrix, under the name of the second.
  phi3: { attn_qkv: "self_attn.qkv_proj", ffn_up: "mlp.gate_up_proj" },
};

/** A name that no table has stays as it is: the comparison with a form's parameters names it. */
function plainName(name: string, architecture: string): string {
  const found = /^(?:blk\.(\d+)\.)?([a-z_]+)\.(weight|bias)$/.exec(name);
  const [, layer, stem = "", ending] = found ?? [];
  const own = Object.hasOwn(OTHERWISE, architecture) ? OTHERWISE[architecture] : {};
  const table = layer === undefined ? WHOLE : { ...IN_LAYER, ...own };
  if (!Object.hasOwn(table, stem)) return name;
  return `${layer === undefined ? "" : `model.layers.${Number(layer)}.`}${table[stem]}.${ending}`;
}

const WIDTH = 32;
/** Blocks that are read at once. */
const BLOCKS_AT_ONCE = 32_768;

/** Writes the codes of one block whose bytes begin at `from`. */
type Repack = (bytes: Uint8Array, from: number, codes: Uint8Array, block: number) => void;

const REPACK: Readonly<Record<string, { readonly bits: Bits; readonly write: Repack }>> = {
  Q8_0: {
    bits: 8,
    // A signed byte, 128 more.
    write: (bytes, from, codes, block) => {
      for (let at = 0; at < WIDTH; at += 1) codes[block * WIDTH + at] = (bytes[from + 2 + at] as number) ^ 0x80;
    },
  },
  Q4_0: {
    bits: 4,
    // There, a byte holds a code of the first half and one of the second; here, two that stand side by side.
    write: (bytes, from, codes, block) => {
      const to = (block * WIDTH) / 2;
      for (let at = 0; at < 8; at += 1) {
        const [one, other] = [bytes[from + 2 + 2 * at] as number, bytes[from + 3 + 2 * at] as number];
        codes[to + at] = (one & 15) | ((other & 15) << 4);
        codes[to + 8 + at] = (one >> 4) | (other & 0xf0);
      }
    },
  },
};

/**
 * The matrix as it stands in the file; undefined where its type is another one. Blocks of Q8_0 and Q4_0 say what a `QuantisedMatrix`
 * says, in another order: they are taken over code by code, and no value is computed on the way.
 */
export async function repackMatrix(
  file: GgufFile,
  name: string,
  shape: readonly number[],
  bits: Bits,
): Promise<QuantisedMatrix | undefined> {
  const { block } = file.tensors.get(name) as GgufTensor;
  const rule = REPACK[block.name];
  if (rule?.bits !== bits) return undefined;
  const matrix = createMatrix(name, shape, bits, WIDTH);
  const count = matrix.scales.length;
  const chunk = new Uint8Array(Math.min(count, BLOCKS_AT_ONCE) * block.bytes);
  for (let first = 0; first < count; first += BLOCKS_AT_ONCE) {
    const some = Math.min(BLOCKS_AT_ONCE, count - first);
    const bytes = chunk.subarray(0, some * block.bytes);
    await file.readBlocks(name, first, bytes);
    for (let at = 0; at < some; at += 1) {
      const scale = halfAt(bytes, at * block.bytes);
      if (!Number.isFinite(scale)) {
        const place = (first + at) * WIDTH;
        throw new EngineError(
          "weights-not-finite",
          `${file.path}: "${name}" has the scale ${scale} at place ${place}; every weight must be finite.`,
        );
      }
      matrix.scales[first + at] = scale;
      rule.write(bytes, at * block.bytes, matrix.codes, first + at);
    }
  }
  return matrix;
}
