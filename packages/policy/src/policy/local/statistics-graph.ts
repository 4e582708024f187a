/** The named statistics of given tokens, and the gradients of all parameters for given weights on them. */
import { gradients, type Pullback } from "../../graph/gradient.ts";
import { input, type Tensor } from "../../graph/tensor.ts";
import { ops } from "../../graph/build.ts";
import type { StatisticName } from "../objective.ts";
import { headOutput } from "./heads.ts";
import {
  decoderStack,
  headOf,
  logitsOf,
  parameterInputs,
  type Parameters,
  type Projected,
  type Reading,
} from "./layers.ts";
import { type Layout, tokensOf } from "./batches.ts";
import { type ModelConfig, windowOf } from "./model-config.ts";
import { causal, causalLimits, flatReading, windowLimits } from "./transformer.ts";
import { rotaryTables } from "./rotary.ts";

export interface StatisticsShape {
  readonly layout: Layout;
  /** Whether prefixes are shorter than the layout's and the input "seen" says where they end. */
  readonly padded: boolean;
  /** Predictions that are asked for. */
  readonly count: number;
  /** Whether they are named by the input "places"; otherwise every place is asked, in order. */
  readonly chosen: boolean;
  readonly statistics: readonly StatisticName[];
  /** Candidate ids per prediction, where candidates are asked for. */
  readonly candidates: number;
  /** Whether the candidates are the whole vocabulary in its order. Default: no. */
  readonly whole?: true;
  /** Whether the input "sharpness" has one over the temperature for each prediction; otherwise all are 1. */
  readonly tempered: boolean;
  /** How many of the most probable tokens are asked for, if any. */
  readonly top: number;
}

interface StatisticsGraph {
  readonly parameters: Parameters;
  readonly head: ReadonlyMap<string, Tensor>;
  readonly outputs: Readonly<Record<string, Tensor>>;
}

export function readingOf(config: ModelConfig, { layout, padded }: StatisticsShape): Reading {
  return layout.prefix > 0 ? forestReading(config, layout, padded) : flatReading(config, layout.trees, layout.length);
}

/**
 * Every statistic is [count, 1], or [count, candidates]. Inputs besides those of the decoder: "places" int64 [count],
 * "sharpness" [count, 1], as needed, and those of `statisticsOf`.
 */
function statistics(config: ModelConfig, shape: StatisticsShape): StatisticsGraph {
  const { count } = shape;
  const parameters = parameterInputs(config);
  const everywhere = decoderStack(config, parameters, readingOf(config, shape));
  const hidden = shape.chosen ? ops.gather(everywhere, input("places", "int64", [count])) : everywhere;
  // Logits are linear in the hidden state, so dividing it divides them.
  const sharp = shape.tempered ? ops.mul(hidden, input("sharpness", "float32", [count, 1])) : hidden;
  const head = new Map<string, Tensor>();
  const outputs = statisticsOf(config, shape, {
    hidden,
    logits: logitsOf(config, parameters, sharp),
    logprob: (targets) => ops.pickLinear(sharp, headOf(config, parameters), targets),
    head,
  });
  return { parameters, head, outputs };
}

/** What statistics are made of. Parameters of heads that are asked for are added to `head`. */
interface StatisticsParts {
  readonly hidden: Tensor;
  readonly logits: Tensor;
  readonly logprob: (targets: Tensor) => Tensor;
  readonly head: Map<string, Tensor>;
}

/**
 * Inputs as needed: "targets" int64 [count, 1], "candidateIds" [count, candidates], "teacher" (log-probabilities)
 * [count, vocabulary]. The most probable tokens are "topLogprobs" and "topIds", [count, top].
 */
export function statisticsOf(
  config: ModelConfig,
  shape: StatisticsShape,
  { hidden, logits, logprob, head }: StatisticsParts,
): Record<string, Tensor> {
  const { count } = shape;
  const logs = ops.logSoftmax(logits, 1);
  const build: Readonly<Record<StatisticName, () => Tensor>> = {
    logprob: () => logprob(input("targets", "int64", [count, 1])),
    candidates: () =>
      shape.whole === true ? logs : ops.pickLogprob(logits, input("candidateIds", "int64", [count, shape.candidates])),
    entropy: () => ops.neg(ops.reduceSum(ops.mul(ops.exp(logs), logs), [1])),
    divergence: () => {
      const teacher = input("teacher", "float32", [count, config.vocabularySize]);
      return ops.reduceSum(ops.mul(ops.exp(teacher), ops.sub(teacher, logs)), [1]);
    },
    value: () => headOutput(config, "value", hidden, head),
    quality: () => headOutput(config, "quality", hidden, head),
  };
  const named: Record<string, Tensor> = Object.fromEntries(shape.statistics.map((name) => [name, build[name]()]));
  if (shape.top > 0) [named["topLogprobs"], named["topIds"]] = ops.topK(logs, shape.top);
  return named;
}

export function scoreGraph(config: ModelConfig, shape: StatisticsShape): Readonly<Record<string, Tensor>> {
  return statistics(config, shape).outputs;
}

/** Inputs "weight NAME" for what is pulled back of each output. */
export function pullbacksOf(outputs: Readonly<Record<string, Tensor>>): Pullback[] {
  return Object.entries(outputs).map(([name, output]) => ({
    output,
    weight: input(`weight ${name}`, "float32", output.shape),
  }));
}

/** Outputs "gradient NAME" of tensors. */
export function gradientOutputs(
  pullbacks: readonly Pullback[],
  of: readonly (readonly [string, Tensor])[],
): Record<string, Tensor> {
  const tensors = of.map(([, tensor]) => tensor);
  const results = gradients(pullbacks, tensors);
  return Object.fromEntries(of.map(([name], at) => [`gradient ${name}`, results[at] as Tensor]));
}

/** Inputs "weight NAME" per statistic; outputs the statistics, and "gradient NAME" per parameter that learns. */
export function backwardGraph(config: ModelConfig, shape: StatisticsShape): Record<string, Tensor> {
  const { parameters: own, head, outputs } = statistics(config, shape);
  const parameters = [...own.trained, ...head];
  return { ...outputs, ...gradientOutputs(pullbacksOf(outputs), parameters) };
}

// The decoder over a forest: each tree's prefix once, then its branches. A branch attends to its tree's prefix and to
// itself: two levels of plain products, never a mask over the whole forest.

/**
 * Inputs: "positions" int64 [tokens, 1], where a position is a depth in the tree; "seen" [trees * key heads, 1, prefix], `VISIBLE` for a token of the prefix and `HIDDEN` for its padding, where there is any.
 */
function forestReading(config: ModelConfig, layout: Layout, padded: boolean): Reading {
  const tokens = tokensOf(layout);
  const positions = input("positions", "int64", [tokens, 1]);
  const rotary = { positions, tables: rotaryTables(config, layout.prefix + layout.length) };
  const seen = padded ? input("seen", "float32", [layout.trees * config.keyValueHeads, 1, layout.prefix]) : undefined;
  // The same for every layer with a window, so made once.
  const { window } = config;
  const far = window !== undefined && window.size < layout.prefix + layout.length;
  const near = far ? prefixWindow(config, layout, positions, window.size) : undefined;
  const both = near === undefined || seen === undefined ? (near ?? seen) : ops.min(near, seen);
  return {
    rows: tokens,
    width: 1,
    rotary,
    attend: (layer, projected) => {
      const size = windowOf(config, layer);
      return attention(config, layout, projected, { seen: size === undefined ? seen : both, window: size });
    },
  };
}

/** Which tokens of the prefix each query of a branch sees, [trees * key heads, queries, prefix], as `branchAttention` has them. */
function prefixWindow(config: ModelConfig, layout: Layout, positions: Tensor, window: number): Tensor {
  const { trees, prefix, branches, length } = layout;
  const { heads, keyValueHeads } = config;
  const shared = heads / keyValueHeads;
  const own = ops.slice(positions, 0, trees * prefix, tokensOf(layout));
  const depths = ops.reshape(ops.cast(own, "float32"), [trees, 1, branches, 1, length, 1]);
  const queries = ops.expand(depths, [trees, keyValueHeads, branches, shared, length, 1]);
  const flat = ops.reshape(queries, [trees * keyValueHeads, branches * shared * length, 1]);
  return windowLimits(flat, prefix, window);
}

/** What of the prefix a layer sees, and how far back it looks. */
interface Sight {
  readonly seen: Tensor | undefined;
  readonly window: number | undefined;
}

function attention(config: ModelConfig, layout: Layout, projected: Projected, sight: Sight): Tensor {
  const { trees, prefix, branches, length } = layout;
  const { keyValueHeads, headSize } = config;
  const sizes = [trees * prefix, trees * branches * length];
  const cut = (value: Tensor): [Tensor, Tensor] => {
    const [before, own] = ops.split(value, sizes, 0) as [Tensor, Tensor];
    const heads = value.shape[2] as number;
    return [
      ops.reshape(before, [trees, prefix, heads, headSize]),
      ops.reshape(own, [trees, branches, length, keyValueHeads, heads / keyValueHeads, headSize]),
    ];
  };
  const [query, ownQuery] = cut(projected.query);
  const [key, ownKey] = cut(projected.key);
  const [value, ownValue] = cut(projected.value);
  const first = causal(config, trees, prefix, { query, key, value }, sight.window);
  return ops.concat([first, branchAttention(config, layout, { key, value, ownQuery, ownKey, ownValue, ...sight })], 0);
}

interface Parts extends Sight {
  /** [trees, prefix, key heads, headSize] */
  readonly key: Tensor;
  readonly value: Tensor;
  /** [trees, branches, length, key heads, heads that share one, headSize] */
  readonly ownQuery: Tensor;
  readonly ownKey: Tensor;
  readonly ownValue: Tensor;
}

/** Groups are a tree's key heads; the queries of a group are all its branches', so that the prefix is one product. */
function branchAttention(config: ModelConfig, layout: Layout, parts: Parts): Tensor {
  const { trees, prefix, branches, length } = layout;
  const { heads, keyValueHeads, headSize } = config;
  const shared = heads / keyValueHeads;
  const groups = trees * keyValueHeads;
  const rows = branches * shared * length;
  const turned = ops.transpose(parts.ownQuery, [0, 3, 1, 4, 2, 5]);
  const queries = ops.reshape(turned, [groups, rows, headSize]);
  const keys = ops.reshape(ops.transpose(parts.key, [0, 2, 3, 1]), [groups, headSize, prefix]);
  const ownQueries = ops.reshape(turned, [groups * branches, shared * length, headSize]);
  const ownKeys = ops.reshape(ops.transpose(parts.ownKey, [0, 3, 1, 4, 5, 2]), [groups * branches, headSize, length]);
  const values = ops.reshape(ops.transpose(parts.value, [0, 2, 1, 3]), [groups, prefix, headSize]);
  const ownValues = ops.reshape(ops.transpose(parts.ownValue, [0, 3, 1, 4, 2, 5]), [
    groups * branches,
    length,
    headSize,
  ]);
  const mixed = ops.reshape(
    ops.attend(
      { scores: ops.matmul(queries, keys), limits: parts.seen, values },
      {
        scores: ops.matmul(ownQueries, ownKeys),
        limits: causalLimits(shared, length, 0, parts.window),
        values: ownValues,
      },
    ),
    [trees, keyValueHeads, branches, shared, length, headSize],
  );
  return ops.reshape(ops.transpose(mixed, [0, 2, 4, 1, 3, 5]), [trees * branches * length, heads * headSize]);
}
