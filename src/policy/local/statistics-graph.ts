/** The named statistics of given tokens, and the gradients of all parameters for given weights on them. */
import { gradients, input, ops, type Pullback, type Tensor } from "../../graph/index.ts";
import type { StatisticName } from "../objective.ts";
import { forestReading } from "./forest-graph.ts";
import { headOutput } from "./heads.ts";
import { decoderStack, headOf, logitsOf, parameterInputs, type Parameters, type Reading } from "./layers.ts";
import type { Layout } from "./layout.ts";
import type { ModelConfig } from "./model-config.ts";
import { flatReading } from "./transformer.ts";

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

/** Inputs "weight NAME" per statistic; outputs the statistics, and "gradient NAME" per parameter that learns. */
export function backwardGraph(config: ModelConfig, shape: StatisticsShape): Record<string, Tensor> {
  const { parameters: own, head, outputs } = statistics(config, shape);
  const parameters = [...own.trained, ...head];
  const pullbacks: Pullback[] = Object.entries(outputs).map(([name, output]) => ({
    output,
    weight: input(`weight ${name}`, "float32", output.shape),
  }));
  const results = gradients(
    pullbacks,
    parameters.map(([, tensor]) => tensor),
  );
  const pulled = parameters.map(([name], at) => [`gradient ${name}`, results[at] as Tensor] as const);
  return { ...outputs, ...Object.fromEntries(pulled) };
}
