/** How a run goes through the pieces of a quantised model: one layer's weights, its attention, the next layer's weights. */
import { input, type Program, type ProgramOptions, type Tensor, type TensorData } from "../../../graph/index.ts";
import { createQueue, type Queue } from "../../queue.ts";
import { layerOf, mixedBy, parameterInputs, type Reading } from "../layers.ts";
import { formOf, windowOf, type ModelConfig } from "../model-config.ts";
import { createPrograms, type Programs } from "../programs.ts";
import { readingOf, type StatisticsShape } from "../statistics-graph.ts";
import type { Frozen, Held } from "./frozen-parts.ts";
import { dequantiseRows } from "./matrix.ts";
import { projectionInputs, PROJECTIONS } from "./pieces.ts";

export type Feeds = Readonly<Record<string, TensorData>>;

/** Everything that the parts of a run need. */
export interface Workshop {
  readonly config: ModelConfig;
  readonly frozen: Frozen;
  readonly held: Held;
  readonly programs: Programs;
  /** A matrix as float32. Those of one place in the layer share an array: it holds the one that was asked for last. */
  readonly float: (name: string) => Float32Array;
  /** One run at a time: they share the pieces, and each wants every core. */
  readonly inTurn: Queue;
}

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
export interface LayerTrace {
  readonly stream: Float32Array;
  readonly projections: readonly Float32Array[];
  readonly mixed: Float32Array;
}

export function createWorkshop(config: ModelConfig, frozen: Frozen, options: ProgramOptions): Workshop {
  return {
    config,
    frozen,
    held: frozen.hold(config, options),
    programs: createPrograms({ ...options, inTurns: true }),
    float: createFloats(frozen),
    inTurn: createQueue(),
  };
}

/** Attention of the layout; `pull` makes the graph of its gradient of it. */
export function scoreAttention(workshop: Workshop, shape: StatisticsShape, pull?: PullAttention): Promise<Attention> {
  const { layout, padded } = shape;
  const key = `${pull === undefined ? "score" : "back"} ${JSON.stringify({ layout, padded })}`;
  return attentionPrograms(workshop, key, () => ({ reading: readingOf(workshop.config, shape), fresh: {} }), pull);
}

/** From what attention made and what it was given to the graph that is wanted. */
export type PullAttention = (
  config: ModelConfig,
  tokens: number,
  mixed: Tensor,
  flat: readonly Tensor[],
) => Record<string, Tensor>;

export function tailInputs(config: ModelConfig, { count }: StatisticsShape): { hidden: Tensor; logits: Tensor } {
  return {
    hidden: input("hidden", "float32", [count, config.hiddenSize]),
    logits: input("logits", "float32", [count, config.vocabularySize]),
  };
}

/** The hidden states that are asked for, and the same multiplied by one over the temperature, of which logits are made. */
export function askedRows(
  { hiddenSize }: ModelConfig,
  feeds: Feeds,
  everywhere: Float32Array,
): { hidden: Float32Array; sharp: Float32Array } {
  const places = feeds["places"] as BigInt64Array | undefined;
  const hidden = places === undefined ? everywhere : rowsOf(everywhere, places, hiddenSize);
  const sharpness = feeds["sharpness"] as Float32Array | undefined;
  return { hidden, sharp: sharpness === undefined ? hidden : scaleRows(hidden, sharpness, hiddenSize) };
}

export function scaleRows(rows: Float32Array, factors: Float32Array, width: number): Float32Array {
  return rows.map((value, at) => value * (factors[Math.floor(at / width)] as number));
}

/** Attention of every layer. Layers that see alike share a program, which is built for the first of them. */
export type Attention = (layer: number) => { readonly program: Program; readonly like: number };

export async function attentionPrograms(
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
export async function readThrough(
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

export function renamed(layer: number, like: number): Names {
  return {
    there: (name) =>
      name
        .replace(/^(newKeys|newValues|keys|values)\.\d+$/, `$1.${layer}`)
        .replace(`model.layers.${like}.`, `model.layers.${layer}.`),
  };
}

/** What a program knows by the names of another layer. */
export function ownOf(
  feeds: Feeds,
  known: Readonly<Record<string, unknown>>,
  { there }: Names,
): Record<string, TensorData> {
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
export function rowsOf(matrix: Float32Array, places: ArrayLike<bigint>, width: number): Float32Array {
  const found = new Float32Array(places.length * width);
  for (let at = 0; at < places.length; at += 1) {
    const from = Number(places[at]) * width;
    found.set(matrix.subarray(from, from + width), at * width);
  }
  return found;
}

/** It looks like a program of one graph; only its outputs are described, since no more is needed. */
export function composite(
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
