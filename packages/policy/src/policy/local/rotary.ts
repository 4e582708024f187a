/** Rotary positions: angles, their tables, and the rotation of heads. */
import { constant, input, type Tensor } from "../../graph/tensor.ts";
import { ops } from "../../graph/build.ts";
import { windowOf, type ModelConfig } from "./model-config.ts";

/** Layers with a window may turn at rates of their own. */
type Kind = "global" | "local";

/**
 * A table is [positions, headSize / 2]. Those for queries have the scale of attention's scores, 1 / sqrt(headSize), in
 * them: it costs no pass of its own.
 */
const TABLES = ["cosine", "sine", "queryCosine", "querySine"] as const;

/** Every table that a model needs, by "KIND.TABLE". */
type Tables<Table> = Readonly<Record<string, Table>>;

export interface Rotary {
  /** int64 [rows, width] */
  readonly positions: Tensor;
  readonly tables: Tables<Tensor>;
}

/** The tables for positions from 0 on. */
export function rotaryValues(config: ModelConfig, positions: number): Tables<Float32Array> {
  const half = config.headSize / 2;
  const scale = (config.queryScalar ?? config.headSize) ** -0.5;
  const rates = { global: globalRates(config), local: plainRates(config, config.localRopeTheta ?? config.ropeTheta) };
  const stretch = config.ropeScaling?.type === "longrope" ? config.ropeScaling.attentionFactor : 1;
  return eachTable(config, (kind, name) => {
    const turn = name.endsWith("osine") ? Math.cos : Math.sin;
    const factor = (name.startsWith("query") ? scale : 1) * (kind === "global" ? stretch : 1);
    const values = new Float32Array(positions * half);
    for (let place = 0; place < values.length; place += 1) {
      values[place] = factor * turn(Math.floor(place / half) * (rates[kind][place % half] as number));
    }
    return values;
  });
}

/** The tables by the positions in use: a table over a context of 131,072 would take hundreds of megabytes. The same arrays each time. */
export function rotaryTablesFor(config: ModelConfig): (positions: number) => Tables<Float32Array> {
  const known = new Map<number, Tables<Float32Array>>();
  return (positions) => {
    const made = known.get(positions) ?? rotaryValues(config, positions);
    known.set(positions, made);
    return made;
  };
}

/** The tables as parts of a graph. */
export function rotaryTables(config: ModelConfig, positions: number): Tables<Tensor> {
  const values = rotaryValues(config, positions);
  return eachTable(config, (_, __, key) => constant(values[key] as Float32Array, [positions, config.headSize / 2]));
}

/** The tables as inputs of a graph, under their own names. */
export function rotaryInputs(config: ModelConfig, positions: number): Tables<Tensor> {
  return eachTable(config, (_, __, key) => input(key, "float32", [positions, config.headSize / 2]));
}

/** Turns every head of [rows, width, heads, headSize] by its position. */
export function rotate(config: ModelConfig, layer: number, value: Tensor, rotary: Rotary): Tensor {
  return turned(value, rotary, `${kindOf(config, layer)}.cosine`, `${kindOf(config, layer)}.sine`);
}

/** The same for queries, which are scaled on the way. */
export function rotateQuery(config: ModelConfig, layer: number, value: Tensor, rotary: Rotary): Tensor {
  return turned(value, rotary, `${kindOf(config, layer)}.queryCosine`, `${kindOf(config, layer)}.querySine`);
}

function turned(value: Tensor, { positions, tables }: Rotary, cosine: string, sine: string): Tensor {
  const [rows, width, heads, size] = value.shape as [number, number, number, number];
  // One token's heads lie the same either way, and in the way that attention wants they need no other shape.
  const flat = ops.reshape(value, width === 1 ? [rows, heads, 1, size] : [rows, width, heads * size]);
  return ops.reshape(ops.rotary(flat, positions, tables[cosine] as Tensor, tables[sine] as Tensor), value.shape);
}

function kindOf(config: ModelConfig, layer: number): Kind {
  return config.localRopeTheta !== undefined && windowOf(config, layer) !== undefined ? "local" : "global";
}

function eachTable<Table>(
  config: ModelConfig,
  make: (kind: Kind, name: (typeof TABLES)[number], key: string) => Table,
): Record<string, Table> {
  const kinds: readonly Kind[] = config.localRopeTheta === undefined ? ["global"] : ["global", "local"];
  return Object.fromEntries(
    kinds.flatMap((kind) =>
      TABLES.map((name) => [`${kind}.${name}`, make(kind, name, `${kind}.${name}`)] as [string, Table]),
    ),
  );
}

/** theta^(-2i/d): how far pair i of a head turns from one position to the next. */
function plainRates({ headSize }: ModelConfig, theta: number): Float64Array {
  return Float64Array.from({ length: headSize / 2 }, (_, at) => theta ** (-(2 * at) / headSize));
}

/** The rates after stretching. */
function globalRates(config: ModelConfig): Float64Array {
  const { ropeScaling: scaling } = config;
  const rates = plainRates(config, config.ropeTheta);
  if (scaling === undefined) return rates;
  if (scaling.type === "linear") return rates.map((rate) => rate / scaling.factor);
  if (scaling.type === "longrope") return rates.map((rate, at) => rate / (scaling.shortFactors[at] as number));
  // Llama 3.1's rule: by how often a pair turns within the original context. Up to `lowFrequency` turns it is slowed
  // down, from `highFrequency` on it stays, and between the two it is blended.
  const { factor, lowFrequency, highFrequency, originalContext } = scaling;
  return rates.map((rate) => {
    const turns = (originalContext * rate) / (2 * Math.PI);
    const kept = Math.min(1, Math.max(0, (turns - lowFrequency) / (highFrequency - lowFrequency)));
    return kept * rate + ((1 - kept) * rate) / factor;
  });
}
