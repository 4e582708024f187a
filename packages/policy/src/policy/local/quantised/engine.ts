/**
 * Programs of a model with frozen, quantised matrices, under the same names of inputs and outputs as the whole graphs have
 * (`decode-graph.ts`, `statistics-graph.ts`): the pieces that hold weights, in turns with attention of the asked shape.
 */
import { input, type Tensor, type TensorData } from "../../../graph/tensor.ts";
import { ops } from "../../../graph/build.ts";
import type { Program, ProgramOptions } from "../../../graph/program.ts";
import { cacheType, decodeReading, predictionsOf, type DecodeShape } from "../decode-graph.ts";
import { formOf, headName, matrixShapes, partOf, windowOf, type ModelConfig } from "../model-config.ts";
import { gradientOutputs, pullbacksOf, readingOf, statisticsOf, type StatisticsShape } from "../statistics-graph.ts";
import type { Graphs } from "../whole-graphs.ts";
import { SparseAttention, type SparseOptions } from "./two-level.ts";
import { projectionInputs, PROJECTIONS, type Frozen } from "./frozen.ts";
import { EngineError } from "limbeck-base/base/errors";
import type { MatrixName } from "../forms.ts";
import {
  flatProjections,
  lastNorm,
  layerOf,
  leaveAttention,
  mixedBy,
  parameterInputs,
  type Parameters,
  type Reading,
} from "../layers.ts";
import { tokensOf } from "../batches.ts";
import { loraShapes } from "../lora.ts";
import { createQueue } from "../../queue.ts";
import { createPrograms } from "../programs.ts";
import { dequantiseRows } from "./matrix.ts";

/** `sparse`: tokens are sampled with attention that scores few keys. */
export function quantisedGraphs(
  config: ModelConfig,
  frozen: Frozen,
  options: ProgramOptions,
  limits?: SparseOptions,
): Graphs {
  const workshop = createWorkshop(config, frozen, options);
  const sparse = limits === undefined ? undefined : new SparseAttention(config, limits);
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
  // Only for one token at a time: prompts are read with full attention.
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

// The gradient of an adapter on a frozen, quantised model. Forward goes through the pieces, as sampling and scoring do, and
// keeps what each layer was given; backward goes layer by layer, multiplying by the same matrices as float32. One layer's
// matrices are float32 at a time. The rounding of activations inside the products is passed through as if it were not there.

async function backwardProgram(workshop: Workshop, shape: StatisticsShape): Promise<Program> {
  const { config, programs, held, float } = workshop;
  const { lora } = config;
  if (lora === undefined) {
    throw new EngineError(
      "needs-unmet",
      'The weights are quantised, so they cannot learn. Open the model with weights "float32", or give an adapter (lora) that learns in their place.',
    );
  }
  const tokens = tokensOf(shape.layout);
  const attention = await scoreAttention(workshop, shape);
  const attentionBack = await scoreAttention(workshop, shape, pullAttention);
  const tail = await programs.get(`statistics back ${JSON.stringify(shape)}`, () => tailGraph(config, shape));
  const headBack = await programs.get(`head back ${shape.count}`, () => headGraph(config, shape.count));
  const back = {
    projections: await programs.get(`projections back ${tokens}`, () => projectionsGraph(config, tokens)),
    layer: await programs.get(`layer back ${tokens}`, () => layerGraph(config, tokens, 0)),
    last: await programs.get(`last back ${tokens}`, () => layerGraph(config, tokens, config.layers - 1)),
  };
  const outputs = Object.fromEntries([
    ...Object.entries(tail.model.outputs).filter(([name]) => !INNER.includes(name)),
    ...[...loraShapes(config, lora)].map(
      ([name, of]) => [`gradient ${name}`, { shape: of, dtype: "float32" as const }] as const,
    ),
  ]);
  return composite(workshop, outputs, async (feeds, into) => {
    const layers: LayerTrace[] = [];
    const { hidden } = await readThrough(workshop, attention, feeds, {}, (layer) => layers.push(layer));
    const asked = askedRows(config, feeds, hidden);
    const logits = (await (await held.pieces()).head.run({ hidden: asked.sharp }))["logits"] as Float32Array;
    const {
      "gradient logits": pulled,
      "gradient hidden": byHeads,
      ...results
    } = await tail.run(over(feeds, { logits, hidden: asked.hidden }), into);
    const weight = float(headName(config));
    const { asked: change } = await headBack.run({ change: pulled as Float32Array, weight });
    let after = spread(config, feeds, tokens, change as Float32Array, byHeads as Float32Array | undefined);
    for (let at = config.layers - 1; at >= 0; at -= 1) {
      const { stream, mixed, projections } = layers.pop() as LayerTrace;
      const last = at === config.layers - 1;
      const names = renamed(at, last ? at : 0);
      const run = async (program: Program, given: Feeds, of = names): Promise<Record<string, TensorData>> => {
        const matrices = Object.fromEntries(frozenIn(program).map((name) => [name, float(of.there(name))]));
        const found = await program.run(
          over(feeds, { ...ownOf(feeds, program.model.inputs, of), ...matrices, ...given }),
          ownOf(into, program.model.outputs, of),
        );
        for (const name of Object.keys(found))
          if (name.startsWith("gradient model.")) results[of.there(name)] = found[name] as TensorData;
        return found;
      };
      const left = await run(last ? back.last : back.layer, { stream, mixed, change: after });
      const seen = attentionBack(at);
      const own = Object.fromEntries(PROJECTIONS.map((name, part) => [name, projections[part] as Float32Array]));
      const turned = renamed(at, seen.like);
      const parts = await run(seen.program, { ...own, change: left["gradient mixed"] as Float32Array }, turned);
      const changes = Object.fromEntries(
        PROJECTIONS.map((name) => [`change ${name}`, parts[`gradient ${name}`] as Float32Array]),
      );
      const entered = await run(back.projections, { stream, ...changes }, renamed(at, 0));
      after = left["gradient stream"] as Float32Array;
      addTo(after, entered["gradient stream"] as Float32Array);
    }
    return results;
  });
}

/** Outputs of the tail that stay inside. */
const INNER = ["gradient logits", "gradient hidden"];

/** Inputs of a program that are a frozen matrix of the layer it was built for. */
function frozenIn({ model }: Program): string[] {
  return Object.entries(model.inputs).flatMap(([name, { shape }]) =>
    name.startsWith("model.layers.") && shape.length === 2 && !name.includes(".lora_") ? [name] : [],
  );
}

/** From the change of the logits' hidden states to that of all tokens' states. */
function spread(
  { hiddenSize }: ModelConfig,
  feeds: Feeds,
  tokens: number,
  change: Float32Array,
  byHeads: Float32Array | undefined,
): Float32Array {
  const sharpness = feeds["sharpness"] as Float32Array | undefined;
  const rows = sharpness === undefined ? change : scaleRows(change, sharpness, hiddenSize);
  if (byHeads !== undefined) addTo(rows, byHeads);
  const places = feeds["places"] as BigInt64Array | undefined;
  if (places === undefined) return rows;
  const all = new Float32Array(tokens * hiddenSize);
  places.forEach((place, at) => {
    const to = Number(place) * hiddenSize;
    addTo(all.subarray(to, to + hiddenSize), rows.subarray(at * hiddenSize, (at + 1) * hiddenSize));
  });
  return all;
}

function addTo(sum: Float32Array, change: Float32Array): void {
  for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] as number) + (change[at] as number);
}

function tailGraph(config: ModelConfig, shape: StatisticsShape): Record<string, Tensor> {
  const { hidden, logits } = tailInputs(config, shape);
  const head = new Map<string, Tensor>();
  const logprob = (targets: Tensor): Tensor => ops.pickLogprob(logits, targets);
  const outputs = statisticsOf(config, shape, { hidden, logits, logprob, head });
  const of: [string, Tensor][] = [
    ["logits", logits],
    ...(head.size === 0 ? [] : [["hidden", hidden] as [string, Tensor]]),
    ...head,
  ];
  return { ...outputs, ...gradientOutputs(pullbacksOf(outputs), of) };
}

function headGraph({ vocabularySize, hiddenSize }: ModelConfig, count: number): Record<string, Tensor> {
  const change = input("change", "float32", [count, vocabularySize]);
  return { asked: ops.gemm(change, input("weight", "float32", [vocabularySize, hiddenSize])) };
}

/** The part of a layer after its attention, with the last norm where it is the last one. */
function layerGraph(config: ModelConfig, tokens: number, at: number): Record<string, Tensor> {
  const parameters = parameterInputs(config);
  const stream = input("stream", "float32", [tokens, config.hiddenSize]);
  const mixed = input("mixed", "float32", [tokens, config.heads * config.headSize]);
  const after = leaveAttention(config, layerOf(config, parameters, at), stream, mixed);
  const output = at === config.layers - 1 ? lastNorm(config, parameters, after) : after;
  const weight = input("change", "float32", [tokens, config.hiddenSize]);
  const learns = trainedIn(config, parameters, at, (name) => name === "o_proj" || partOf(name) === "mlp");
  return gradientOutputs([{ output, weight }], [["stream", stream], ["mixed", mixed], ...learns]);
}

/** The part of a layer before its attention. */
function projectionsGraph(config: ModelConfig, tokens: number): Record<string, Tensor> {
  const parameters = parameterInputs(config);
  const stream = input("stream", "float32", [tokens, config.hiddenSize]);
  const pullbacks = flatProjections(config, layerOf(config, parameters, 0), stream).map((output, part) => ({
    output,
    weight: input(`change ${PROJECTIONS[part]}`, "float32", output.shape),
  }));
  const learns = trainedIn(config, parameters, 0, (name) => name !== "o_proj" && partOf(name) === "self_attn");
  return gradientOutputs(pullbacks, [["stream", stream], ...learns]);
}

function pullAttention(
  config: ModelConfig,
  tokens: number,
  mixed: Tensor,
  flat: readonly Tensor[],
): Record<string, Tensor> {
  const weight = input("change", "float32", [tokens, config.heads * config.headSize]);
  return gradientOutputs(
    [{ output: mixed, weight }],
    flat.map((tensor, part) => [PROJECTIONS[part] as string, tensor]),
  );
}

/** The adapter's parameters of some matrices of a layer. */
function trainedIn(
  config: ModelConfig,
  { trained }: Parameters,
  at: number,
  takes: (matrix: MatrixName) => boolean,
): [string, Tensor][] {
  const names = [...matrixShapes(config).keys()]
    .filter(takes)
    .map((name) => `model.layers.${at}.${partOf(name)}.${name}.lora_`);
  return [...trained].filter(([name]) => names.some((start) => name.startsWith(start)));
}

// How a run goes through the pieces of a quantised model: one layer's weights, its attention, the next layer's weights.

export type Feeds = Readonly<Record<string, TensorData>>;

function createFloats(frozen: Frozen): (name: string) => Float32Array {
  const room = new Map<string, Float32Array>();
  return (name) => {
    const matrix = frozen.matrix(name);
    const place = name.replace(/\.\d+\./, ".");
    const into = room.get(place) ?? new Float32Array(matrix.shape[0] * matrix.shape[1]);
    room.set(place, into);
    dequantiseRows(matrix, 0, into);
    return into;
  };
}

/** What a layer was given and made, where a backward pass wants it. */
interface LayerTrace {
  readonly stream: Float32Array;
  readonly projections: readonly Float32Array[];
  readonly mixed: Float32Array;
}

/** Everything that the parts of a run need. */
type Workshop = ReturnType<typeof createWorkshop>;

function createWorkshop(config: ModelConfig, frozen: Frozen, options: ProgramOptions) {
  return {
    config,
    frozen,
    held: frozen.hold(config, options),
    programs: createPrograms({ ...options, inTurns: true }),
    /** A matrix as float32. Those of one place in the layer share an array: it holds the one that was asked for last. */
    float: createFloats(frozen),
    /** One run at a time: they share the pieces, and each wants every core. */
    inTurn: createQueue(),
  };
}

/** Attention of the layout; `pull` makes the graph of its gradient of it. */
function scoreAttention(workshop: Workshop, shape: StatisticsShape, pull?: PullAttention): Promise<Attention> {
  const { layout, padded } = shape;
  const key = `${pull === undefined ? "score" : "back"} ${JSON.stringify({ layout, padded })}`;
  return attentionPrograms(workshop, key, () => ({ reading: readingOf(workshop.config, shape), fresh: {} }), pull);
}

/** From what attention made and what it was given to the graph that is wanted. */
type PullAttention = (
  config: ModelConfig,
  tokens: number,
  mixed: Tensor,
  flat: readonly Tensor[],
) => Record<string, Tensor>;

function tailInputs(config: ModelConfig, { count }: StatisticsShape): { hidden: Tensor; logits: Tensor } {
  return {
    hidden: input("hidden", "float32", [count, config.hiddenSize]),
    logits: input("logits", "float32", [count, config.vocabularySize]),
  };
}

/** The hidden states that are asked for, and the same multiplied by one over the temperature, of which logits are made. */
function askedRows(
  { hiddenSize }: ModelConfig,
  feeds: Feeds,
  everywhere: Float32Array,
): { hidden: Float32Array; sharp: Float32Array } {
  const places = feeds["places"] as BigInt64Array | undefined;
  const hidden = places === undefined ? everywhere : rowsOf(everywhere, places, hiddenSize);
  const sharpness = feeds["sharpness"] as Float32Array | undefined;
  return { hidden, sharp: sharpness === undefined ? hidden : scaleRows(hidden, sharpness, hiddenSize) };
}

function scaleRows(rows: Float32Array, factors: Float32Array, width: number): Float32Array {
  return rows.map((value, at) => value * (factors[Math.floor(at / width)] as number));
}

/** Attention of every layer. Layers that see alike share a program, which is built for the first of them. */
type Attention = (layer: number) => { readonly program: Program; readonly like: number };

async function attentionPrograms(
  { config, programs }: Workshop,
  key: string,
  read: () => { readonly reading: Reading; readonly fresh: Record<string, Tensor> },
  pull?: PullAttention,
): Promise<Attention> {
  const kinds = new Map<boolean, { readonly program: Program; readonly like: number }>();
  for (let at = 0; at < config.layers; at += 1) {
    const windowed = windowOf(config, at) !== undefined;
    if (kinds.has(windowed)) continue;
    const program = await programs.get(`attention ${at} ${key}`, () => {
      const { reading, fresh } = read();
      const layer = layerOf(config, parameterInputs(config), at);
      const tokens = reading.rows * reading.width;
      const flat = projectionInputs(config, tokens);
      const mixed = mixedBy(config, reading, at, layer, flat);
      return pull === undefined ? { mixed, ...fresh } : pull(config, tokens, mixed, flat);
    });
    kinds.set(windowed, { program, like: at });
  }
  return (layer) => kinds.get(windowOf(config, layer) !== undefined) as { program: Program; like: number };
}

/** Tokens through all layers. `made` holds the new keys and values, where attention gives them. */
async function readThrough(
  { config, frozen, held }: Workshop,
  attention: Attention,
  feeds: Feeds,
  into: Feeds,
  trace?: (layer: LayerTrace) => void,
): Promise<{ readonly hidden: Float32Array; readonly made: Record<string, TensorData> }> {
  const pieces = await held.pieces();
  const given = over(feeds, held.zeros);
  let stream = frozen.embed(feeds["ids"] as BigInt64Array);
  if (formOf(config).scaledEmbeddings) {
    const scale = Math.fround(Math.sqrt(config.hiddenSize));
    for (let at = 0; at < stream.length; at += 1) stream[at] = (stream[at] as number) * scale;
  }
  let parts = await pieces.enter.run(over(given, { stream }));
  const made: Record<string, TensorData> = {};
  for (let layer = 0; layer < config.layers; layer += 1) {
    const { program, like } = attention(layer);
    const names = renamed(layer, like);
    const found = await program.run(
      over(given, { ...ownOf(given, program.model.inputs, names), ...pick(parts, PROJECTIONS) }),
      ownOf(into, program.model.outputs, names),
    );
    for (const [name, data] of Object.entries(found)) if (name !== "mixed") made[names.there(name)] = data;
    const mixed = found["mixed"] as Float32Array;
    trace?.({ stream, projections: PROJECTIONS.map((name) => parts[name] as Float32Array), mixed });
    parts = await (pieces.layers[layer] as Program).run(over(given, { stream, mixed }));
    stream = parts["after"] as Float32Array;
  }
  return { hidden: parts["hidden"] as Float32Array, made };
}

export interface Names {
  /** A name of the layer for which the program was built as this layer has it. */
  readonly there: (name: string) => string;
}

function renamed(layer: number, like: number): Names {
  return {
    there: (name) =>
      name
        .replace(/^(newKeys|newValues|keys|values)\.\d+$/, `$1.${layer}`)
        .replace(`model.layers.${like}.`, `model.layers.${layer}.`),
  };
}

/** What a program knows by the names of another layer. */
function ownOf(feeds: Feeds, known: Readonly<Record<string, unknown>>, { there }: Names): Record<string, TensorData> {
  const found: Record<string, TensorData> = {};
  for (const name of Object.keys(known)) {
    const data = feeds[there(name)];
    if (data !== undefined) found[name] = data;
  }
  return found;
}

/** More feeds over others, which are not copied: there are hundreds, and a step has dozens of runs. */
export function over(feeds: Feeds, more: Feeds): Record<string, TensorData> {
  return Object.assign(Object.create(feeds) as Record<string, TensorData>, more);
}

function pick(from: Feeds, names: readonly string[]): Record<string, TensorData> {
  return Object.fromEntries(names.map((name) => [name, from[name] as TensorData]));
}

/** The given rows of a matrix. */
function rowsOf(matrix: Float32Array, places: ArrayLike<bigint>, width: number): Float32Array {
  const found = new Float32Array(places.length * width);
  for (let at = 0; at < places.length; at += 1) {
    const from = Number(places[at]) * width;
    found.set(matrix.subarray(from, from + width), at * width);
  }
  return found;
}

/** It looks like a program of one graph; only its outputs are described, since no more is needed. */
function composite(
  { inTurn }: Workshop,
  outputs: Program["model"]["outputs"],
  run: (feeds: Feeds, into: Feeds) => Promise<Record<string, TensorData>>,
): Program {
  return {
    model: { bytes: new Uint8Array(0), inputs: {}, outputs, nodes: 0, peakBytes: 0 },
    run: (feeds, into = {}) => inTurn(() => run(feeds, into)),
    close: async () => undefined,
  };
}
