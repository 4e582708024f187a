/**
 * Programs of a model with frozen, quantised matrices, under the same names of inputs and outputs as the whole graphs have
 * (`decode-graph.ts`, `statistics-graph.ts`): the pieces that hold weights, in turns with attention of the asked shape.
 */
import { input, ops, type Program, type ProgramOptions, type Tensor } from "../../../graph/index.ts";
import { cacheType, decodeReading, predictionsOf, type DecodeShape } from "../decode-graph.ts";
import type { ModelConfig } from "../model-config.ts";
import { statisticsOf, type StatisticsShape } from "../statistics-graph.ts";
import type { Graphs } from "../whole-graphs.ts";
import { backwardProgram } from "./backward.ts";
import { createSparseAttention, type SparseAttention, type SparseOptions } from "./sparse-attention.ts";
import type { Frozen } from "./frozen-parts.ts";
import {
  askedRows,
  attentionPrograms,
  type Attention,
  composite,
  createWorkshop,
  over,
  readThrough,
  rowsOf,
  scoreAttention,
  tailInputs,
  type Workshop,
} from "./workshop.ts";

/** `sparse`: words are said with attention that scores few keys. */
export function quantisedGraphs(
  config: ModelConfig,
  frozen: Frozen,
  options: ProgramOptions,
  limits?: SparseOptions,
): Graphs {
  const workshop = createWorkshop(config, frozen, options);
  const sparse = limits === undefined ? undefined : createSparseAttention(config, limits);
  return {
    decode: (shape) => decodeProgram(workshop, shape, sparse),
    ...(sparse === undefined ? {} : { attention: sparse.counts }),
    score: (shape) => scoreProgram(workshop, shape),
    backward: (shape) => backwardProgram(workshop, shape),
    close: async () => {
      await workshop.inTurn(async () => undefined);
      await Promise.all([workshop.programs.close(), workshop.held.letGo()]);
    },
  };
}

async function decodeProgram(
  workshop: Workshop,
  shape: DecodeShape,
  sparse: SparseAttention | undefined,
): Promise<Program> {
  const { config, programs, held } = workshop;
  const { rows, width } = shape;
  const key = JSON.stringify(shape);
  // Only where one word is said at a time: what is read in one go is read whole.
  const few = width === 1 && shape.tree !== true ? sparse : undefined;
  const made = await attentionPrograms(workshop, `${few === undefined ? "decode" : "sparse"} ${key}`, () => {
    const fresh: Record<string, Tensor> = {};
    return { reading: few?.reading(shape, fresh) ?? decodeReading(config, shape, fresh), fresh };
  });
  const attention: Attention = (layer) => {
    const found = made(layer);
    return few === undefined ? found : { ...found, program: few.around(found.program, shape, found.like, layer) };
  };
  const count = shape.tree === true ? rows * width : rows;
  const tail = await programs.get(`predictions ${key}`, () =>
    predictionsOf(shape, input("logits", "float32", [count, config.vocabularySize])),
  );
  const { keyValueHeads, headSize } = config;
  const fresh = { shape: [rows, keyValueHeads, width, headSize], dtype: cacheType(config) } as const;
  const names = Array.from({ length: config.layers }, (_, at) => [`newKeys.${at}`, `newValues.${at}`]).flat();
  const outputs = { ...tail.model.outputs, ...Object.fromEntries(names.map((name) => [name, fresh])) };
  return composite(workshop, outputs, async (feeds, into) => {
    const { hidden, made: news } = await readThrough(workshop, attention, feeds, into);
    const places = feeds["last"] as BigInt64Array | undefined;
    const asked = places === undefined ? hidden : rowsOf(hidden, places, config.hiddenSize);
    const logits = (await (await held.pieces()).head.run({ hidden: asked }))["logits"] as Float32Array;
    return { ...news, ...(await tail.run(over(feeds, { logits }), into)) };
  });
}

async function scoreProgram(workshop: Workshop, shape: StatisticsShape): Promise<Program> {
  const { config, programs, held } = workshop;
  const attention = await scoreAttention(workshop, shape);
  const tail = await programs.get(`statistics ${JSON.stringify(shape)}`, () => {
    const { hidden, logits } = tailInputs(config, shape);
    const logprob = (targets: Tensor): Tensor => ops.pickLogprob(logits, targets);
    return statisticsOf(config, shape, { hidden, logits, logprob, head: new Map() });
  });
  return composite(workshop, tail.model.outputs, async (feeds, into) => {
    const { hidden } = await readThrough(workshop, attention, feeds, {});
    const asked = askedRows(config, feeds, hidden);
    const logits = (await (await held.pieces()).head.run({ hidden: asked.sharp }))["logits"] as Float32Array;
    return await tail.run(over(feeds, { logits, hidden: asked.hidden }), into);
  });
}
