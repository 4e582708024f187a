/** The frozen matrices of a model: in few bits, packed once for all policies that use them. */
import { EngineError } from "limbeck-base/base/errors";
import { bytes, elementCount, constant, input, type Tensor } from "../../../graph/tensor.ts";
import { loraShapes } from "../lora.ts";
import {
  EMBEDDINGS,
  headName,
  parameterCount,
  parameterShapes,
  type LoraShape,
  type ModelConfig,
} from "../model-config.ts";
import { bitsOf, bytesOf, dequantiseRows, type Bits, type QuantisedMatrix } from "./matrix.ts";
import { compile, type Program, type ProgramOptions } from "../../../graph/program.ts";
import { ops } from "../../../graph/build.ts";
import type { FrozenMatrices } from "../weights.ts";
import {
  flatProjections,
  lastNorm,
  layerOf,
  leaveAttention,
  parameterInputs,
  projectionSizes,
  type Parameters,
} from "../layers.ts";
import { mapLimit } from "limbeck-base/base/concurrency";
import type { ModelFolder } from "../model-folder.ts";
import type { WeightKind } from "./kinds.ts";

/** Takes the matrices over: those that are packed and that nothing learns on are let go. */
export function createFrozen(matrices: Map<string, QuantisedMatrix>, bits: Bits): Frozen {
  let lora: LoraShape | undefined;
  let made: Promise<Pieces> | undefined;
  let users = 0;
  return {
    bits,
    hold: (config, options) => {
      if (users > 0 && config.lora !== undefined && JSON.stringify(config.lora) !== JSON.stringify(lora)) {
        throw new EngineError(
          "needs-unmet",
          "The quantised weights are in use with another adapter; open the model a second time for this one.",
        );
      }
      if (users === 0) lora = config.lora;
      users += 1;
      const known = lora;
      const shapes = known === undefined || config.lora !== undefined ? [] : [...loraShapes(config, known)];
      let held = true;
      return {
        zeros: Object.fromEntries(shapes.map(([name, shape]) => [name, new Float32Array(elementCount(shape))])),
        pieces: () => {
          const full = known === undefined ? config : { ...config, lora: known };
          made ??= compilePieces(full, matrices, options, (name) => {
            if (known === undefined && name !== EMBEDDINGS) matrices.delete(name);
          });
          return made;
        },
        letGo: async () => {
          if (!held) return;
          held = false;
          users -= 1;
          if (users > 0 || made === undefined) return;
          const last = made;
          made = undefined;
          await closePieces(await last);
        },
      };
    },
    embed: (ids) => {
      const table = need(matrices, EMBEDDINGS);
      const width = table.shape[1];
      const rows = new Float32Array(ids.length * width);
      for (let at = 0; at < ids.length; at += 1) {
        dequantiseRows(table, Number(ids[at]), rows.subarray(at * width, (at + 1) * width));
      }
      return rows;
    },
    matrix: (name) => need(matrices, name),
  };
}

function need(matrices: ReadonlyMap<string, QuantisedMatrix>, name: string): QuantisedMatrix {
  const found = matrices.get(name);
  if (found !== undefined) return found;
  throw new EngineError("internal", `internal: the frozen matrix "${name}" was let go.`);
}

// What is known of frozen matrices where they are used; `frozen.ts` makes them.

export interface Frozen extends FrozenMatrices {
  /** Each user of the pieces holds them, and lets go once; the last one closes them. */
  hold(config: ModelConfig, options: ProgramOptions): Held;
  /** A matrix as it is multiplied with, for gradients. Kept as long as something learns on it. */
  matrix(name: string): QuantisedMatrix;
}

export interface Held {
  readonly pieces: () => Promise<Pieces>;
  /** What pieces are fed besides weights: zeros for an adapter that they know and this user does not have. */
  readonly zeros: Readonly<Record<string, Float32Array>>;
  letGo(): Promise<void>;
}

export interface Pieces {
  /** "stream" to the projections of the first layer. */
  readonly enter: Program;
  /** "stream" and "mixed" to the stream "after" the layer and the projections of the next one; to "hidden" after the last. */
  readonly layers: readonly Program[];
  /** "hidden" to "logits". */
  readonly head: Program;
}

// The decoder in pieces around its attention. Everything that multiplies by a frozen matrix is a piece of its own that takes
// any number of tokens: sampling, scoring and learning share it, whatever their shapes, and so its packed weights are in memory
// once. What depends on a shape (attention, statistics) holds no weights.

/** What attention is given, in this order. */
export const PROJECTIONS = ["query", "key", "value"] as const;

/** Any number of rows is meant; a graph has to be built with some. */
const SOME_ROWS = 2;

type Multiply = (value: Tensor, name: string) => Tensor | undefined;
type Matrices = ReadonlyMap<string, QuantisedMatrix>;

/** One session after the other, so that only one set of weights is there twice while it is packed. */
async function compilePieces(
  config: ModelConfig,
  matrices: Matrices,
  options: ProgramOptions,
  packed: (name: string) => void,
): Promise<Pieces> {
  const { hiddenSize, layers } = config;
  const stream = input("stream", "float32", [SOME_ROWS, hiddenSize]);
  const mixed = input("mixed", "float32", [SOME_ROWS, config.heads * config.headSize]);
  const made: Program[] = [];
  const build = async (
    graph: (parameters: Parameters, multiply: Multiply) => Record<string, Tensor>,
  ): Promise<Program> => {
    const used: string[] = [];
    const multiply = (value: Tensor, name: string): Tensor | undefined => {
      used.push(name);
      return product(matrices, value, name);
    };
    const parameters = parameterInputs(config, multiply);
    const freeRows = ["stream", "mixed", "hidden"];
    const program = await compile(graph(parameters, multiply), { ...options, freeRows, inTurns: true });
    made.push(program);
    used.forEach(packed);
    return program;
  };
  try {
    const enter = await build((parameters) => entering(config, parameters, 0, stream));
    const blocks: Program[] = [];
    for (let at = 0; at < layers; at += 1) {
      blocks.push(
        await build((parameters) => {
          const after = leaveAttention(config, layerOf(config, parameters, at), stream, mixed);
          if (at === layers - 1) return { hidden: lastNorm(config, parameters, after) };
          return { after, ...entering(config, parameters, at + 1, after) };
        }),
      );
    }
    const hidden = input("hidden", "float32", [SOME_ROWS, hiddenSize]);
    const head = await build((_, multiply) => ({ logits: multiply(hidden, headName(config)) as Tensor }));
    return { enter, layers: blocks, head };
  } catch (error) {
    await Promise.all(made.map((program) => program.close()));
    throw error;
  }
}

async function closePieces({ enter, layers, head }: Pieces): Promise<void> {
  await Promise.all([enter, ...layers, head].map((program) => program.close()));
}

function entering(config: ModelConfig, parameters: Parameters, at: number, stream: Tensor): Record<string, Tensor> {
  const flat = flatProjections(config, layerOf(config, parameters, at), stream);
  return Object.fromEntries(PROJECTIONS.map((name, part) => [name, flat[part] as Tensor]));
}

function product(matrices: Matrices, value: Tensor, name: string): Tensor | undefined {
  const matrix = matrices.get(name);
  if (matrix === undefined) return undefined;
  const { shape, block, bits, codes, scales } = matrix;
  const blocks = shape[1] / block;
  return ops.quantisedLinear(
    value,
    bytes(codes, [shape[0], blocks, (block * bits) / 8]),
    constant(scales, [shape[0] * blocks]),
    bits,
  );
}

/** The projections of some tokens as inputs. */
export function projectionInputs(config: ModelConfig, tokens: number): Tensor[] {
  return projectionSizes(config).map((size, part) => input(PROJECTIONS[part] as string, "float32", [tokens, size]));
}

// Reads the matrices of a model in few bits.

/** A tensor is float32 while it is rounded. */
const AT_ONCE = 2;

/** Embeddings and the output matrix keep eight bits: they are few of the weights, and words hang on them. */
export async function readFrozen(
  folder: ModelFolder,
  kind: Exclude<WeightKind, "float32">,
  say?: (sentence: string) => void,
): Promise<Frozen> {
  const names = [...parameterShapes(folder.config)].flatMap(([name, shape]) => (shape.length === 2 ? [name] : []));
  const matrices = new Map<string, QuantisedMatrix>();
  let exact = 0;
  await mapLimit(names, AT_ONCE, async (name) => {
    const found = await folder.readMatrix(name, name.startsWith("model.layers.") ? bitsOf(kind) : 8);
    matrices.set(name, found.matrix);
    if (found.exact) exact += 1;
  });
  const gigabytes = [...matrices.values()].reduce((sum, matrix) => sum + bytesOf(matrix), 0) / 1e9;
  const how =
    exact === names.length
      ? "as the file has them"
      : exact === 0
        ? "rounded"
        : `${exact} of ${names.length} as the file has them, the others rounded`;
  say?.(
    `Weights: ${kind}, ${how}; ${gigabytes.toFixed(2)} GB in place of ${((parameterCount(folder.config) * 4) / 1e9).toFixed(2)} GB as float32.`,
  );
  return createFrozen(matrices, bitsOf(kind));
}
