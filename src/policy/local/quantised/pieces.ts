/**
 * The decoder in pieces around its attention. Everything that multiplies by a frozen matrix is a piece of its own that takes
 * any number of tokens: sampling, scoring and learning share it, whatever their shapes, and so its packed weights are in memory
 * once. What depends on a shape (attention, statistics) holds no weights.
 */
import { compile, constant, input, ops, type Program, type ProgramOptions, type Tensor } from "../../../graph/index.ts";
import { bytes } from "../../../graph/tensor.ts";
import {
  flatProjections,
  lastNorm,
  layerOf,
  leaveAttention,
  parameterInputs,
  projectionSizes,
  type Parameters,
} from "../layers.ts";
import { headName, type ModelConfig } from "../model-config.ts";
import type { Pieces } from "./frozen-parts.ts";
import type { QuantisedMatrix } from "./matrix.ts";

/** What attention is given, in this order. */
export const PROJECTIONS = ["query", "key", "value"] as const;

/** Any number of rows is meant; a graph has to be built with some. */
const SOME_ROWS = 2;

type Multiply = (value: Tensor, name: string) => Tensor | undefined;
type Matrices = ReadonlyMap<string, QuantisedMatrix>;

/** One session after the other, so that only one set of weights is there twice while it is packed. */
export async function compilePieces(
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

export async function closePieces({ enter, layers, head }: Pieces): Promise<void> {
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
